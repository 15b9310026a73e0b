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
	conn, err := d.Open(ctx, addr)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	if _, err := io.WriteString(conn, word); err != nil {
		return "", d.explained(err)
	}
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

// Serves reports whether an answer is none because the server serves nobody: it has no quorum.
func Serves(answer string) bool { return !strings.Contains(answer, notServing) }

// Refused reports whether an answer is none because the server's whitelist does not have the word.
func Refused(answer string) bool { return strings.Contains(answer, refusal) }
