// Package access opens connections to a ZooKeeper as its operator configured them: through TLS, with credentials,
// and below a chroot. It doesn't know what is requested on them, and it chooses no server. engine/zookeeper/admin and
// engine/host/live do that through the library's client, as do the users of engine/zookeeper/wire.
//
// It returns a net.Conn on which a client does its handshake as on any other. The identities are authenticated
// before the client learns of its session, and every path on the connection is below the chroot.
//
// Its errors for failed connections use the words away.… in the language files.
package access

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// tlsLimit is the time limit for connecting through TLS. A Java server that has just started takes a second.
const tlsLimit = 5 * time.Second

// Dialer says how to open connections to a cluster. Its zero value uses plain TCP without credentials.
type Dialer struct {
	Chroot string      // the znode that clients see as the root, such as /app; empty for the root itself
	TLS    *tls.Config // nil for none
	Auth   []Identity  // authenticated on every session
	Names  Names
	// Say words an error for a log in one language. Without it, the error's own text is used.
	Say func(error) string
}

// Open opens a connection without a session, for a four-letter word. Where the cause is recognizable, the error is
// a sentence about it.
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

// config returns the TLS configuration for one server.
func (d Dialer) config(addr string) *tls.Config {
	cfg := d.TLS.Clone()
	if cfg.ServerName == "" {
		cfg.ServerName, _, _ = net.SplitHostPort(addr) // it was valid for dialling
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

// SessionWithin does what Session does, for callers with a time limit instead of a context: the library, which
// expects TCP. TLS may take longer.
func (d Dialer) SessionWithin(addr string, limit time.Duration) (net.Conn, error) {
	if d.TLS != nil {
		limit = max(limit, tlsLimit)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return d.Session(ctx, addr)
}

// Reason gives the cause briefly: an error's sentence, or the innermost error of a chain.
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
