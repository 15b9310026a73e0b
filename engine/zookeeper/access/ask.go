package access

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"
)

// Ask sends a server a four-letter word on a separate connection, and reads at most that many bytes of its answer.
// It is an error if the server is out of reach or doesn't answer before ctx ends. Any answer is fine.
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
	return string(answer), nil // a server that resets the connection has answered
}

// say opens a connection and writes a word on it. The end of ctx interrupts it until end closes it.
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

// Serves reports whether the server serves clients. If not, it has no quorum, and answer only says so.
func Serves(answer string) bool { return !strings.Contains(answer, notServing) }

// Refused reports whether the server's whitelist lacks the word, so that answer only says so.
func Refused(answer string) bool { return strings.Contains(answer, refusal) }
