package access

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// unreached explains why there is no connection.
func unreached(err error) error {
	var name *net.DNSError
	if errors.As(err, &name) && name.IsNotFound {
		return sentence.Error("away.name", sentence.Quote(name.Name))
	}
	return err
}

// stranger names the service behind an answer that isn't ZooKeeper's, as far as its start shows.
func (d Dialer) stranger(head []byte) error {
	for _, s := range [...]struct{ begins, key string }{
		{"HTTP", "away.http"}, {"SSH-", "away.ssh"}, {"-ERR", "away.redis"}, {"-NOA", "away.redis"},
		{"-DEN", "away.redis"},
	} {
		if strings.HasPrefix(string(head), s.begins) {
			return sentence.Error(s.key)
		}
	}
	if strings.HasPrefix(string(head), "\x15\x03") {
		return d.plain()
	}
	return sentence.Error("away.stranger")
}

// plain returns the error for a plain connection to a server that speaks TLS.
func (d Dialer) plain() error { return sentence.Error("away.plain", d.Names.of("tls")) }

// secured returns the error for TLS with a server that speaks none.
func (d Dialer) secured() error { return sentence.Error("away.tls.none", d.Names.of("tls")) }

// explained turns a connection's error into a sentence if its cause is recognizable.
func (d Dialer) explained(err error) error {
	if alert := alerted(err); alert != nil {
		return sentence.Wrap(alert, "away.tls.client", d.Names.of("tls-cert"), d.Names.of("tls-key"))
	}
	return err
}

// alerted returns the other side's TLS alert, or nil if err is something else.
func alerted(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "remote error" {
		return op.Err
	}
	return nil
}

// refusedTLS explains why TLS with a server failed.
func (d Dialer) refusedTLS(ctx context.Context, addr string, err error) error {
	var (
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
		bad     x509.CertificateInvalidError
		header  tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &unknown):
		return sentence.Error("away.tls.authority", d.Names.of("tls-ca"))
	case errors.As(err, &host):
		return sentence.Error("away.tls.name", sentence.Quote(host.Host), d.Names.of("tls-server-name"))
	case errors.As(err, &bad):
		return sentence.Wrap(bad, "away.tls.invalid")
	case alerted(err) != nil:
		return d.explained(err)
	case errors.As(err, &header):
		if err := d.stranger(header.RecordHeader[:]); err.Error() != "away.stranger()" {
			return err
		}
		return d.secured()
	case ctx.Err() != nil:
		return sentence.Wrap(err, "away.tls.failed")
	}
	// A ZooKeeper without TLS takes the start for a frame that is too long, and disconnects.
	if answer, err := (Dialer{}).word(ctx, addr); err == nil && isZooKeeper(answer) {
		return d.secured()
	}
	return sentence.Wrap(err, "away.tls.failed")
}

// Why finds out why a server accepts connections but gives no session. It requests no session itself. It sends the
// four-letter word srvr, and then tests on another connection whether the server speaks TLS.
func (d Dialer) Why(ctx context.Context, addr string) error {
	answer, err := d.word(ctx, addr)
	if err == nil && isZooKeeper(answer) && !strings.Contains(answer, notServing) {
		return sentence.Error("away.turned")
	}
	return d.judge(ctx, addr, answer, err)
}

// Reach explains why a server is out of reach or doesn't serve. It returns nil for a server that says it serves.
func (d Dialer) Reach(ctx context.Context, addr string) error {
	answer, err := d.word(ctx, addr)
	return d.judge(ctx, addr, answer, err)
}

// judge explains an answer to srvr. It returns nil for a ZooKeeper that serves.
func (d Dialer) judge(ctx context.Context, addr, answer string, err error) error {
	switch {
	case err != nil:
		return err
	case strings.Contains(answer, notServing):
		return sentence.Error("away.not-serving")
	case isZooKeeper(answer):
		return nil
	case len(answer) >= 4:
		return d.stranger([]byte(answer))
	case d.TLS == nil && d.speaksTLS(ctx, addr):
		return d.plain()
	}
	return sentence.Error("away.silent")
}

// Parts of a ZooKeeper's answers to srvr.
const (
	notServing = "not currently serving requests"
	refusal    = "not in the whitelist"
	version    = "Zookeeper version"
)

func isZooKeeper(answer string) bool {
	return strings.Contains(answer, notServing) || strings.Contains(answer, refusal) ||
		strings.HasPrefix(answer, version)
}

const (
	wordLimit = 2 * time.Second        // for the answer
	lineAfter = 500 * time.Millisecond // when to send the rest of a line to a service that waits for it
	maxWord   = 4 << 10                // bytes
)

// word returns the answer to srvr, or to a line that begins with it: services other than ZooKeeper wait for its end.
func (d Dialer) word(ctx context.Context, addr string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, wordLimit)
	defer cancel()
	conn, end, err := d.say(ctx, addr, "srvr")
	if err != nil {
		return "", err
	}
	defer end()
	answer := make([]byte, maxWord)
	_ = conn.SetReadDeadline(time.Now().Add(lineAfter)) // on a closed connection the next call fails too
	n, err := io.ReadAtLeast(conn, answer, 4)
	if errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() == nil {
		_, _ = io.WriteString(conn, "\r\n\r\n") // the next call fails too
		_ = conn.SetReadDeadline(time.Now().Add(wordLimit))
		more := 0
		more, err = io.ReadAtLeast(conn, answer[n:], 4)
		n += more
	}
	if alerted(err) != nil {
		return "", d.explained(err)
	}
	if begins(answer[:n]) {
		more, _ := io.ReadFull(conn, answer[n:]) // the server closes, and what came is enough
		n += more
	}
	return string(answer[:n]), nil
}

// begins reports whether an answer begins like a ZooKeeper's, which closes the connection after it.
func begins(answer []byte) bool {
	for _, s := range []string{version, "srvr", "This"} {
		if len(answer) >= 4 && strings.HasPrefix(s, string(answer[:4])) {
			return true
		}
	}
	return false
}

// speaksTLS reports whether a server answers a TLS handshake.
func (d Dialer) speaksTLS(ctx context.Context, addr string) bool {
	ctx, cancel := context.WithTimeout(ctx, wordLimit)
	defer cancel()
	var plain net.Dialer
	conn, err := plain.DialContext(ctx, "tcp", addr)
	if err != nil {
		return false
	}
	defer conn.Close()
	secure := tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) // nothing is sent on it
	err = secure.HandshakeContext(ctx)
	return err == nil || alerted(err) != nil
}
