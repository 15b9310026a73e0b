package web

import (
	"context"
	"net/http"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
)

// socket is one websocket connection, and a room.Viewer. It is the only thing here that knows the library.
type socket struct {
	c *websocket.Conn
	// patience is for how long the other end may take nothing.
	patience time.Duration
}

// accept upgrades a request whose Host and Origin were checked. It answers the request itself on failure.
func accept(w http.ResponseWriter, r *http.Request, patience time.Duration) (socket, error) {
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		CompressionMode:    websocket.CompressionDisabled,
		InsecureSkipVerify: true, // of the Origin, which the guard has verified: it knows the names that a proxy gives us
	})
	if err != nil {
		return socket{}, err
	}
	c.SetReadLimit(protocol.MaxRequest)
	return socket{c, patience}, nil
}

// Receive waits for the next message. room.ErrNotText leaves the connection usable.
func (s socket) Receive(ctx context.Context) ([]byte, error) {
	kind, text, err := s.c.Read(ctx)
	if err == nil && kind != websocket.MessageText {
		err = room.ErrNotText
	}
	return text, err
}

// Message sends text.
func (s socket) Message(ctx context.Context, text []byte) error {
	return s.write(ctx, websocket.MessageText, text)
}

// Frame sends bytes.
func (s socket) Frame(ctx context.Context, frame []byte) error {
	return s.write(ctx, websocket.MessageBinary, frame)
}

func (s socket) write(ctx context.Context, kind websocket.MessageType, b []byte) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	return s.c.Write(ctx, kind, b)
}

// Ping asks the other end whether it is still there.
func (s socket) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	return s.c.Ping(ctx)
}

// Close says why, as far as the other end listens.
func (s socket) Close(why room.Reason, text string) {
	code := websocket.StatusGoingAway
	if why == room.Policy {
		code = websocket.StatusPolicyViolation
	}
	_ = s.c.Close(code, text)
}

// Cut ends the connection at once.
func (s socket) Cut() { _ = s.c.CloseNow() }
