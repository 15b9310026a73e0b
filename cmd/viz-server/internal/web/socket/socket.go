// Package socket is a websocket connection to a page: package web uses it for runs, package classes for classes. Only
// it depends on the websocket library. It knows nothing of what is said.
package socket

import (
	"context"
	"net/http"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/engine/run/room"
)

// Patience limits how long a page may take to receive a message or answer a ping.
const Patience = 20 * time.Second

// Config limits a socket.
type Config struct {
	Longest  int64         // message that it receives, in bytes
	Patience time.Duration // with an other end that reads nothing
}

// Socket is a websocket connection and implements room.Viewer.
type Socket struct {
	c        *websocket.Conn
	patience time.Duration
}

// Accept upgrades a request whose Host and Origin were checked. On failure it has answered the request.
func Accept(w http.ResponseWriter, r *http.Request, cfg Config) (Socket, error) {
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		CompressionMode:    websocket.CompressionDisabled,
		InsecureSkipVerify: true, // the guard has checked the Origin: it knows the names that a proxy uses for us
	})
	if err != nil {
		return Socket{}, err
	}
	c.SetReadLimit(cfg.Longest)
	return Socket{c, cfg.Patience}, nil
}

// Receive waits for the next message. After room.ErrNotText the connection is still usable.
func (s Socket) Receive(ctx context.Context) ([]byte, error) {
	kind, text, err := s.c.Read(ctx)
	if err == nil && kind != websocket.MessageText {
		err = room.ErrNotText
	}
	return text, err
}

// Message sends a text message.
func (s Socket) Message(ctx context.Context, text []byte) error {
	return s.write(ctx, websocket.MessageText, text)
}

// Frame sends a binary message.
func (s Socket) Frame(ctx context.Context, frame []byte) error {
	return s.write(ctx, websocket.MessageBinary, frame)
}

func (s Socket) write(ctx context.Context, kind websocket.MessageType, b []byte) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	return s.c.Write(ctx, kind, b)
}

// Ping checks that the other end is still there.
func (s Socket) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	return s.c.Ping(ctx)
}

// Close sends the reason, if the other end listens, and closes the connection.
func (s Socket) Close(why room.Reason, text string) {
	code := websocket.StatusGoingAway
	if why == room.Policy {
		code = websocket.StatusPolicyViolation
	}
	_ = s.c.Close(code, text)
}

// Cut closes the connection at once.
func (s Socket) Cut() { _ = s.c.CloseNow() }
