package access

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"
)

// Ask asks a server a four-letter word, on a connection of its own that ends with the answer, of which it reads so many
// bytes at most. That the server cannot be reached, or does not answer before ctx ends, is an error; whatever it says
// is not.
func (d Dialer) Ask(ctx context.Context, addr, word string, most int64) (string, error) {
	conn, end, err := d.say(ctx, addr, word)
	if err != nil {
		return "", err
	}
	defer end()
	answer, err := io.ReadAll(io.LimitReader(conn, most))
	var network net.Error
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.As(err, &network) && network.Timeout():
		return "", err
	}
	return string(answer), nil // a server that hangs up rudely has answered
}

// say opens a connection and writes a word on it. Until end closes it, it is of no use once ctx ends.
func (d Dialer) say(ctx context.Context, addr, word string) (conn net.Conn, end func(), err error) {
	if conn, err = d.Open(ctx, addr); err != nil {
		return nil, nil, err
	}
	let := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	end = func() { let(); conn.Close() }
	if _, err := io.WriteString(conn, word); err != nil {
		end()
		return nil, nil, d.explained(err)
	}
	return conn, end, nil
}

// Serves reports whether an answer is none because the server serves nobody: it has no quorum.
func Serves(answer string) bool { return !strings.Contains(answer, notServing) }

// Refused reports whether an answer is none because the server's whitelist does not have the word.
func Refused(answer string) bool { return strings.Contains(answer, refusal) }
