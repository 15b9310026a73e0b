package web

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"

	"nhooyr.io/websocket"
)

// socket is one websocket connection. It is the only thing here that knows the library.
type socket struct{ c *websocket.Conn }

// Why a connection is closed by the server.
const (
	closeDone    = websocket.StatusNormalClosure
	closeLeaving = websocket.StatusGoingAway
	closePolicy  = websocket.StatusPolicyViolation
	closeBusy    = websocket.StatusTryAgainLater
)

var errNotText = errors.New("the message is binary; send text")

// accept upgrades a request whose Host and Origin were checked. It answers the request itself on failure.
func accept(w http.ResponseWriter, r *http.Request) (socket, error) {
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return socket{}, err
	}
	c.SetReadLimit(MaxMessage)
	return socket{c}, nil
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
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return s.c.Write(ctx, kind, b)
}

// ping asks the other end whether it is still there.
func (s socket) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return s.c.Ping(ctx)
}

// close says why, as far as the other end listens.
func (s socket) close(code websocket.StatusCode, why string) { _ = s.c.Close(code, why) }

// cut ends the connection at once.
func (s socket) cut() { _ = s.c.CloseNow() }

// gone reports whether err only says that the other end left.
func gone(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, context.Canceled) ||
		websocket.CloseStatus(err) != -1
}
