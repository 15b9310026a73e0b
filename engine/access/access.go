// Package access opens connections to a ZooKeeper as its operator says: through TLS, as somebody who proves who that
// is, and below a chroot. It knows nothing of what is asked for on them, and chooses no server: engine/admin and
// engine/live do, through the library's client, and those who speak engine/wire.
//
// What it returns is a net.Conn on which a client shakes hands as on any other. The identities are proved before the
// client reads that it has a session, and every path on it is one below the chroot.
//
// What is said if a connection can't be opened has the words away.… in the language files.
package access

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/zkviz/zkviz/engine/sentence"
)

// tlsLimit is how long it may take to connect through TLS: a Java server that has just started takes a second.
const tlsLimit = 5 * time.Second

// Dialer says how connections to a cluster are opened. Its zero value opens them by plain TCP, as nobody in particular.
type Dialer struct {
	Chroot string      // the znode that clients take for the root, such as /app; empty for the root itself
	TLS    *tls.Config // nil for none
	Auth   []Identity  // that are proved on every session
	Names  Names
	// Say words an error for a log, which is in one language. Without it, it is what the error says of itself.
	Say func(error) string
}

// Open opens a connection for what is no session: a four-letter word. The error is a sentence where it can be told what
// is the matter.
func (d Dialer) Open(ctx context.Context, addr string) (net.Conn, error) {
	var plain net.Dialer
	conn, err := plain.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, unreached(err)
	}
	if d.TLS == nil {
		return conn, nil
	}
	secure := tls.Client(conn, d.config(addr))
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close() // the handshake's error says more
		return nil, d.refusedTLS(ctx, addr, err)
	}
	return secure, nil
}

// config is what TLS needs to know of one server.
func (d Dialer) config(addr string) *tls.Config {
	cfg := d.TLS.Clone()
	if cfg.ServerName == "" {
		cfg.ServerName, _, _ = net.SplitHostPort(addr) // it has been dialled
	}
	return cfg
}

// Session opens a connection for a session.
func (d Dialer) Session(ctx context.Context, addr string) (net.Conn, error) {
	conn, err := d.Open(ctx, addr)
	if err != nil {
		return nil, err
	}
	return newSession(conn, d), nil
}

// SessionWithin is Session for those who have a time instead of a context: the library, which has TCP in mind. TLS may
// take longer.
func (d Dialer) SessionWithin(addr string, limit time.Duration) (net.Conn, error) {
	if d.TLS != nil {
		limit = max(limit, tlsLimit)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return d.Session(ctx, addr)
}

// Reason says why in few words: an error's sentence, or what stands at the end of a chain of errors.
func (d Dialer) Reason(err error) string {
	var said interface{ Sentence() sentence.Sentence }
	if errors.As(err, &said) {
		return d.Word(err)
	}
	for inner := err; inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}

// Word puts an error into words.
func (d Dialer) Word(err error) string {
	if d.Say != nil {
		return d.Say(err)
	}
	return sentence.From(err).String()
}
