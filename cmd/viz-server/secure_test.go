package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/testing/certtest"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// secured forwards TLS clients with certificates from ca to addr over plain TCP, until the test ends.
func secured(t *testing.T, ca *certtest.Authority, addr string) string {
	t.Helper()
	files := access.Files{CA: ca.File}
	files.Cert, files.Key = ca.Issue("front", "127.0.0.1")
	cfg, err := files.Config()
	if err != nil {
		t.Fatal(err)
	}
	cfg.ClientCAs, cfg.ClientAuth = cfg.RootCAs, tls.RequireAndVerifyClientCert
	ln, err := tls.Listen("tcp", "127.0.0.1:0", cfg)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() { pass(conn, addr) })
		}
	})
	t.Cleanup(func() { ln.Close(); all.Wait() })
	return ln.Addr().String()
}

// pass forwards both directions until one side ends.
func pass(client net.Conn, addr string) {
	defer client.Close()
	server, err := net.Dial("tcp", addr)
	if err != nil {
		return
	}
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(client, server) // whatever ends it also ends the other half
		client.Close()
	})
	_, _ = io.Copy(server, client)
	server.Close()
	back.Wait()
}

// TestRunOverTLS makes a run's clients and its cleanup show a certificate to a port that requires one. Without a
// certificate or TLS, the error names the missing flag.
func TestRunOverTLS(t *testing.T) {
	t.Parallel()
	server, err := embed.Listen(embed.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ca := certtest.New(t)
	addr := secured(t, ca, server.Addr().String())
	t.Cleanup(func() { _ = server.Close() })
	cert, key := ca.Issue("client")
	var out, errs bytes.Buffer
	code := execute([]string{"run", "predecessor-lock", "--clients", "3", "--zk", addr, "--zk-tls-ca", ca.File,
		"--zk-tls-cert", cert, "--zk-tls-key", key, "--json"}, &terminal{ctx: t.Context(), out: &out, err: &errs})
	var s run.Summary
	err = json.Unmarshal(out.Bytes(), &s)
	if err != nil || code != exitOK || s.Acquisitions != 3 || len(s.Violations) > 0 {
		t.Errorf("exit code %d, %v; it prints %s%s", code, err, out.String(), errs.String())
	}
	for want, flags := range map[string][]string{
		"add --zk-tls": nil, "give one that it accepts with --zk-tls-cert and --zk-tls-key": {"--zk-tls-ca", ca.File},
		"name the authority with --zk-tls-ca": {"--zk-tls"},
	} {
		ctx, interrupt := context.WithTimeout(t.Context(), 10*time.Minute)
		told := bell{awaited: want, ring: interrupt}
		execute(append([]string{"run", "predecessor-lock", "--clients", "2", "--zk", addr}, flags...),
			&terminal{ctx: ctx, out: &out, err: &told})
		interrupt()
		if !strings.Contains(told.String(), want) {
			t.Errorf("with %q it says %s", flags, told.String())
		}
	}
}
