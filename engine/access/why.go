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

	"github.com/zkviz/zkviz/engine/sentence"
)

// unreached says why there is no connection.
func unreached(err error) error {
	var name *net.DNSError
	if errors.As(err, &name) && name.IsNotFound {
		return sentence.Error("away.name", sentence.Quote(name.Name))
	}
	return err
}

// stranger says who it is that answers otherwise than a ZooKeeper does, as far as the beginning of the answer shows.
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

// plain is that a server speaks TLS, and is not spoken to so.
func (d Dialer) plain() error { return sentence.Error("away.plain", d.Names.of("tls")) }

// secured is that a server is spoken to in TLS, and speaks none.
func (d Dialer) secured() error { return sentence.Error("away.tls.none", d.Names.of("tls")) }

// explained is an error of a connection, as a sentence where it can be told what is the matter.
func (d Dialer) explained(err error) error {
	if alert := alerted(err); alert != nil {
		return sentence.Wrap(alert, "away.tls.client", d.Names.of("tls-cert"), d.Names.of("tls-key"))
	}
	return err
}

// alerted is what the other side of TLS says against us, nil if it is not that.
func alerted(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "remote error" {
		return op.Err
	}
	return nil
}

// refusedTLS says why there is no TLS with a server.
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
	// A ZooKeeper that speaks no TLS takes the beginning for a frame that is too long, and hangs up.
	if answer, err := (Dialer{}).word(ctx, addr); err == nil && isZooKeeper(answer) {
		return d.secured()
	}
	return sentence.Wrap(err, "away.tls.failed")
}

// Why finds out why a server takes connections but gives no session. It asks for no session itself: it asks the
// four-letter word srvr, and then, on another connection, whether the server speaks TLS.
func (d Dialer) Why(ctx context.Context, addr string) error {
	answer, err := d.word(ctx, addr)
	if err == nil && isZooKeeper(answer) && !strings.Contains(answer, notServing) {
		return sentence.Error("away.turned")
	}
	return d.judge(ctx, addr, answer, err)
}

// Reach says why a server cannot be reached, or does not serve. It is nil for one that does, as far as it says so.
func (d Dialer) Reach(ctx context.Context, addr string) error {
	answer, err := d.word(ctx, addr)
	return d.judge(ctx, addr, answer, err)
}

// judge is what an answer to srvr says of who gave it, nil of a ZooKeeper that serves.
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

// What a ZooKeeper says when it is asked srvr.
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
	lineAfter = 500 * time.Millisecond // who waits for a whole line gets its end
	maxWord   = 4 << 10                // bytes
)

// word is what a server answers to srvr, or to a line that begins so: those who are no ZooKeeper wait for its end.
func (d Dialer) word(ctx context.Context, addr string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, wordLimit)
	defer cancel()
	conn, end, err := d.say(ctx, addr, "srvr")
	if err != nil {
		return "", err
	}
	defer end()
	answer := make([]byte, maxWord)
	_ = conn.SetReadDeadline(time.Now().Add(lineAfter)) // a closed connection says so to what follows
	n, err := io.ReadAtLeast(conn, answer, 4)
	if errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() == nil {
		_, _ = io.WriteString(conn, "\r\n\r\n") // likewise
		_ = conn.SetReadDeadline(time.Now().Add(wordLimit))
		more := 0
		more, err = io.ReadAtLeast(conn, answer[n:], 4)
		n += more
	}
	if alerted(err) != nil {
		return "", d.explained(err)
	}
	if begins(answer[:n]) {
		more, _ := io.ReadFull(conn, answer[n:]) // it hangs up, and what came will do
		n += more
	}
	return string(answer[:n]), nil
}

// begins reports whether an answer begins as a ZooKeeper's does, which hangs up at its end.
func begins(answer []byte) bool {
	for _, s := range []string{version, "srvr", "This"} {
		if len(answer) >= 4 && strings.HasPrefix(s, string(answer[:4])) {
			return true
		}
	}
	return false
}

// speaksTLS reports whether a server begins to speak TLS with anybody.
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
