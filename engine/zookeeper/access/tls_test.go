package access_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/testing/certtest"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// dialer returns a Dialer with TLS configured by the files.
func dialer(t *testing.T, f access.Files) access.Dialer {
	t.Helper()
	return access.Dialer{TLS: must[*tls.Config](t)(f.Config())}
}

// within waits for a condition that only a slow machine delays.
func within(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it waits in vain for %s", what)
		}
	}
}

// TestTLS connects to a real ZooKeeper's secureClientPort, which requires a client certificate, and to its plain port.
func TestTLS(t *testing.T) {
	t.Parallel()
	ca, others := certtest.New(t), certtest.New(t)
	cert, key := ca.Issue("server", "localhost")
	own := access.Files{CA: ca.File, ServerName: "localhost"}
	own.Cert, own.Key = ca.Issue("client")
	srv, secure := zktest.StartSecure(t, ca.Store(cert, key), ca.File)

	d := dialer(t, own)
	within(t, "the server to speak TLS", func() bool { return d.Reach(t.Context(), secure) == nil })
	c := client(t, d, secure)
	create := func(c *zk.Conn, path string, acl []zk.ACL) {
		within(t, path, func() bool {
			_, err := c.Create(path, nil, 0, acl)
			return err == nil || errors.Is(err, zk.ErrNodeExists)
		})
	}
	create(c, "/app", zk.WorldACL(zk.PermAll))
	d.Chroot, d.Auth = "/app", must[[]access.Identity](t)(access.ReadIdentities(strings.NewReader("digest:ann:geheim")))
	below := client(t, d, secure)
	create(below, "/a", zk.AuthACL(zk.PermAll))
	var who string
	within(t, "who made it", func() bool {
		acl, _, err := c.GetACL("/app/a")
		who = fmt.Sprint(acl)
		return err == nil
	})
	if !strings.Contains(who, "digest ann:") || !strings.Contains(who, "x509 CN=client") {
		t.Errorf("it is known as %s", who)
	}

	stranger := own
	stranger.Cert, stranger.Key = others.Issue("stranger")
	distrustful := access.Files{CA: others.File, ServerName: "localhost"}
	for name, c := range map[string]struct {
		d    access.Dialer
		addr string
		want string
	}{
		"plain to TLS":      {access.Dialer{}, secure, "away.plain(--zk-tls)"},
		"TLS to plain":      {d, srv.Addr, "away.tls.none(--zk-tls)"},
		"unknown authority": {dialer(t, distrustful), secure, "away.tls.authority(--zk-tls-ca)"},
		"wrong host":        {dialer(t, access.Files{CA: ca.File}), secure, `away.tls.name("127.0.0.1", --zk-tls-server-name)`},
		"no certificate": {dialer(t, access.Files{CA: ca.File, ServerName: "localhost"}), secure,
			"away.tls.client(--zk-tls-cert, --zk-tls-key, "},
		"strange one": {dialer(t, stranger), secure, "away.tls.client("},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			within(t, c.want, func() bool { // a server that answers slowly counts as silent
				err := c.d.Reach(t.Context(), c.addr)
				return err != nil && strings.HasPrefix(err.Error(), c.want)
			})
			conn, err := c.d.Session(t.Context(), c.addr)
			if err == nil {
				_, err = peer.New(conn, wire.ConnectRequest{TimeoutMS: 1000, Password: make([]byte, 16)})
			}
			if err == nil {
				t.Error("it has a session")
			}
		})
	}
}

// TestTLSOfOthers speaks TLS with something other than a ZooKeeper, or with one whose certificate has expired.
func TestTLSOfOthers(t *testing.T) {
	t.Parallel()
	ca := certtest.New(t)
	d := dialer(t, access.Files{CA: ca.File})
	cert, key := ca.IssueExpired("old", "127.0.0.1")
	pair := must[tls.Certificate](t)(tls.LoadX509KeyPair(cert, key))
	for name, c := range map[string]struct {
		answer func(net.Conn)
		want   string
	}{
		"http":     {says("HTTP/1.0 400 Bad Request\r\n\r\n"), "away.http()"},
		"ssh":      {says("SSH-2.0-OpenSSH\r\n"), "away.ssh()"},
		"other":    {says("hello, who is there?"), "away.tls.none(--zk-tls)"},
		"hangs up": {says(""), "away.tls.failed("},
		"expired": {func(c net.Conn) {
			_ = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{pair}}).Handshake() // the client complains
		}, "away.tls.invalid("},
	} {
		_, err := d.SessionWithin(other(t, c.answer), time.Minute)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFiles refuses invalid files.
func TestFiles(t *testing.T) {
	t.Parallel()
	ca := certtest.New(t)
	cert, key := ca.Issue("client")
	empty := t.TempDir() + "/empty"
	if err := os.WriteFile(empty, []byte("geheim"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]access.Files{
		"bad.tls.read(": {CA: "/nowhere"},
		"bad.tls.ca(":   {CA: empty},
		"bad.tls.pair(--zk-tls-key, --zk-tls-cert)":       {Key: key},
		"bad.tls.pair(--zk-tls-cert, --zk-tls-key)":       {Cert: cert},
		"bad.tls.pair(the key tls-cert, the key tls-key)": {Cert: cert, Names: "the key "},
		"bad.tls.own(": {Cert: cert, Key: empty},
	} {
		if _, err := f.Config(); err == nil || !strings.HasPrefix(err.Error(), want) ||
			strings.Contains(err.Error(), "geheim") {
			t.Errorf("%+v: %v", f, err)
		}
	}
}
