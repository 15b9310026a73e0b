package tap_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/observe/tap"
	"github.com/zkviz/zkviz/engine/testing/certtest"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// TestTLS connects to a server that requires a client's certificate, and passes on a half-closed connection.
func TestTLS(t *testing.T) {
	ca := certtest.New(t)
	cert, key := ca.Issue("server", "127.0.0.1")
	own, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	signers := x509.NewCertPool()
	pem, err := os.ReadFile(ca.File)
	if err != nil || !signers.AppendCertsFromPEM(pem) {
		t.Fatal(err)
	}
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: signers,
		ClientAuth: tls.RequireAndVerifyClientCert})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() { // an echo server
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(c, c)
				_ = c.Close()
			}()
		}
	}()
	files := access.Files{CA: ca.File}
	files.Cert, files.Key = ca.Issue("client")
	secure, err := files.Config()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, tap.Config{Servers: []string{ln.Addr().String()}, TLS: secure})
	c, err := net.Dial("tcp", s.Place())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(waitLimit))
	_, _ = io.WriteString(c, "all of it")
	_ = c.(*net.TCPConn).CloseWrite()
	if got, err := io.ReadAll(c); string(got) != "all of it" || err != nil {
		t.Errorf("%q, %v", got, err)
	}

	secure.RootCAs = x509.NewCertPool() // no trusted authority has signed the server's certificate
	trouble := make(chan error, 1)
	s = serve(t, tap.Config{Servers: []string{ln.Addr().String()}, TLS: secure,
		Trouble: func(err error) { trouble <- err }})
	if c, err := net.Dial("tcp", s.Place()); err == nil {
		defer c.Close()
	}
	if err := <-trouble; err == nil {
		t.Error("a certificate that nobody signed is taken")
	}
}
