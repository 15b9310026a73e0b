package web

import (
	"context"
	"net/http"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
)

// socket is a websocket connection and implements room.Viewer. Only it depends on the websocket library.
type socket struct {
	c *websocket.Conn
	// patience limits how long the other end may read nothing.
	patience time.Duration
}

// accept upgrades a request whose Host and Origin were checked. On failure it has answered the request.
func accept(w http.ResponseWriter, r *http.Request, patience time.Duration) (socket, error) {
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		CompressionMode:    websocket.CompressionDisabled,
		InsecureSkipVerify: true, // the guard has checked the Origin: it knows the names that a proxy uses for us
	})
	if err != nil {
		return socket{}, err
	}
	c.SetReadLimit(protocol.MaxRequest)
	return socket{c, patience}, nil
}

// Receive waits for the next message. After room.ErrNotText the connection is still usable.
func (s socket) Receive(ctx context.Context) ([]byte, error) {
	kind, text, err := s.c.Read(ctx)
	if err == nil && kind != websocket.MessageText {
		err = room.ErrNotText
	}
	return text, err
}

// Message sends a text message.
func (s socket) Message(ctx context.Context, text []byte) error {
	return s.write(ctx, websocket.MessageText, text)
}

// Frame sends a binary message.
func (s socket) Frame(ctx context.Context, frame []byte) error {
	return s.write(ctx, websocket.MessageBinary, frame)
}

func (s socket) write(ctx context.Context, kind websocket.MessageType, b []byte) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	return s.c.Write(ctx, kind, b)
}

// Ping checks that the other end is still there.
func (s socket) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	return s.c.Ping(ctx)
}

// Close sends the reason, if the other end listens, and closes the connection.
func (s socket) Close(why room.Reason, text string) {
	code := websocket.StatusGoingAway
	if why == room.Policy {
		code = websocket.StatusPolicyViolation
	}
	_ = s.c.Close(code, text)
}

// Cut closes the connection at once.
func (s socket) Cut() { _ = s.c.CloseNow() }
