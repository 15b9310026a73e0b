package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"nhooyr.io/websocket"
)

// socket is one websocket connection. It is the only thing here that knows the library.
type socket struct {
	c *websocket.Conn
	// patience is for how long the other end may take nothing.
	patience time.Duration
}

// Why a connection is closed by the server.
const (
	closeLeaving = websocket.StatusGoingAway
	closePolicy  = websocket.StatusPolicyViolation
)

var errNotText = errors.New("the message is binary; send text")

// accept upgrades a request whose Host and Origin were checked. It answers the request itself on failure.
func accept(w http.ResponseWriter, r *http.Request, patience time.Duration) (socket, error) {
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return socket{}, err
	}
	c.SetReadLimit(MaxMessage)
	return socket{c, patience}, nil
}

// read waits for the next message. errNotText leaves the connection usable.
func (s socket) read(ctx context.Context) ([]byte, error) {
	kind, text, err := s.c.Read(ctx)
	if err == nil && kind != websocket.MessageText {
		err = errNotText
	}
	return text, err
}

func (s socket) writeText(ctx context.Context, text []byte) error {
	return s.write(ctx, websocket.MessageText, text)
}

func (s socket) writeBinary(ctx context.Context, frame []byte) error {
	return s.write(ctx, websocket.MessageBinary, frame)
}

func (s socket) write(ctx context.Context, kind websocket.MessageType, b []byte) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	return s.c.Write(ctx, kind, b)
}

// ping asks the other end whether it is still there.
func (s socket) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	return s.c.Ping(ctx)
}

// close says why, as far as the other end listens.
func (s socket) close(code websocket.StatusCode, why string) { _ = s.c.Close(code, why) }

// cut ends the connection at once.
func (s socket) cut() { _ = s.c.CloseNow() }
