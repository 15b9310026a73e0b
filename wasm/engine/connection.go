//go:build js && wasm

package main

import (
	"context"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/wasm/worker"
)

// framesUnderWay is how many frames a page may have that it hasn't handled yet. It sets the pace, as over a websocket.
const framesUnderWay = 16

// connection is a page's connection and implements room.Viewer.
type connection struct {
	id       int
	cut      context.CancelFunc
	requests chan []byte
	underWay chan struct{}      // an entry for each frame that the page hasn't handled
	save     func(query string) // sends a log as a trace file
}

// receive handles a message of the page. It doesn't wait.
func (c *connection) receive(kind string, data js.Value) {
	switch kind {
	case "text":
		select {
		case c.requests <- []byte(data.String()):
		default: // more than one may send
			c.cut()
		}
	case "took":
		select {
		case <-c.underWay:
		default:
		}
	case "save":
		go c.save(data.String())
	case "close":
		c.cut()
	}
}

func (c *connection) say(ctx context.Context, m protocol.Message) {
	_ = c.Message(ctx, protocol.AppendMessage(nil, m)) // or nobody listens any more
}

// Receive waits for the next request.
func (c *connection) Receive(ctx context.Context) ([]byte, error) {
	select {
	case text := <-c.requests:
		return text, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Message sends a message.
func (c *connection) Message(ctx context.Context, text []byte) error {
	if ctx.Err() == nil {
		worker.Post("text", c.id, js.ValueOf(string(text)))
	}
	return ctx.Err()
}

// Frame sends events once the page has handled most of the earlier ones.
func (c *connection) Frame(ctx context.Context, frame []byte) error {
	select {
	case c.underWay <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	worker.Post("frame", c.id, worker.Buffer(frame))
	return nil
}

// Ping does nothing: a page that has gone takes its worker along.
func (c *connection) Ping(ctx context.Context) error { return ctx.Err() }

// Close ends the connection.
func (c *connection) Close(room.Reason, string) { c.cut() }

// Cut ends the connection.
func (c *connection) Cut() { c.cut() }
