package reader

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// welcomeBytes is the length of the handshake's answer since 3.4.
const welcomeBytes = 37

// greet opens a session.
func (c *Conn) greet(cfg Config, frames *wire.FrameReader) error {
	timeout := cfg.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	c.timeout = handshakeLimit
	c.out = wire.AppendFrame(c.out, &wire.ConnectRequest{
		TimeoutMS: int32(timeout / time.Millisecond), Password: make([]byte, wire.PasswordBytes),
		LastZxidSeen: cfg.Seen, ReadOnly: cfg.ReadOnly, HasReadOnly: true,
	})
	_ = c.conn.SetReadDeadline(time.Now().Add(handshakeLimit))
	if err := c.flush(); err != nil {
		return ErrNoSession
	}
	frame, err := frames.Next()
	switch {
	case says(err):
		return err
	case errors.Is(err, wire.ErrFrame), errors.Is(err, io.ErrUnexpectedEOF):
		return ErrNotZooKeeper
	case err != nil:
		return ErrNoSession
	}
	var welcome wire.ConnectResponse
	err = wire.DecodeConnectResponse(frame, &welcome)
	switch {
	case err != nil, len(frame) > welcomeBytes, welcome.ProtocolVersion != 0:
		return ErrNotZooKeeper
	case welcome.Session == 0, welcome.TimeoutMS <= 0:
		return ErrNoSession
	}
	c.timeout = time.Duration(welcome.TimeoutMS) * time.Millisecond
	c.readOnly, c.session = welcome.ReadOnly, welcome.Session
	c.heard.Store(time.Now().UnixNano())
	return nil
}

// receive receives messages until the end.
func (c *Conn) receive(frames *wire.FrameReader) {
	err := c.take(frames)
	if c.closed() {
		err = ErrClosed
	}
	c.mu.Lock()
	c.err = err
	c.mu.Unlock()
	close(c.ended)
	close(c.messages)
}

func (c *Conn) take(frames *wire.FrameReader) error {
	for {
		if !c.closed() { // otherwise Close has set a deadline
			_ = c.conn.SetReadDeadline(time.Now().Add(c.timeout * 2 / 3))
		}
		frame, err := frames.Next()
		switch {
		case says(err):
			return err
		case errors.Is(err, wire.ErrFrame):
			return fmt.Errorf("%w: %w", ErrNotZooKeeper, err)
		case err != nil:
			return ErrLost
		}
		c.heard.Store(time.Now().UnixNano())
		m, pass, err := c.message(frame)
		switch {
		case errors.Is(err, wire.ErrFrame):
			return fmt.Errorf("%w: %w", ErrNotZooKeeper, err)
		case err != nil:
			return err
		case !pass || c.closed():
			continue
		}
		select {
		case c.messages <- m:
		case <-c.closing:
		}
	}
}

// message decodes a frame. It doesn't pass on messages that don't concern the caller.
func (c *Conn) message(frame []byte) (m Message, pass bool, err error) {
	if wire.IsNotification(frame) {
		err := wire.DecodeNotification(frame, &m.Event)
		return m, err == nil, err
	}
	var head wire.Response
	if err := wire.DecodeResponse(frame, wire.OpPing, &head); err != nil {
		return m, false, err
	}
	if head.Zxid > 0 {
		c.zxid.Store(head.Zxid)
	}
	if head.Xid == wire.XidPing {
		return m, false, nil
	}
	r := c.answered()
	switch {
	case r == nil && c.closed(): // the answer to Close
		return m, false, nil
	case r == nil:
		return m, false, fmt.Errorf("%w: an answer without a request", ErrNotZooKeeper)
	case head.Code == zoo.ErrSessionExpired, head.Code == zoo.ErrSessionMoved:
		return m, false, ErrLost
	}
	m.Asked = r
	return m, true, wire.DecodeResponse(frame, ops[r.Kind], &m.Answer)
}

// answered returns the oldest request without an answer, or nil.
func (c *Conn) answered() (r *Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.asked) > 0 {
		r, c.asked = c.asked[0], c.asked[1:]
	}
	return r
}

// says reports whether an error has a sentence.
func says(err error) bool {
	var said interface{ Sentence() sentence.Sentence }
	return errors.As(err, &said)
}
