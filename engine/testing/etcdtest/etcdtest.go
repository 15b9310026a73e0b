// Package etcdtest starts a real etcd for tests.
package etcdtest

import (
	"errors"
	"net/http"
	"strconv"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/daemon"
	"github.com/zkviz/zkviz/engine/testing/need"
)

// Start starts an etcd that doesn't sync to disk, and stops with the test. Without etcd on the machine the test is
// skipped, or fails if CI is set.
func Start(tb testing.TB) *daemon.Server {
	tb.Helper()
	Need(tb)
	s, err := daemon.Start(Config())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

// Need skips the test if etcd isn't installed, or fails it if CI is set.
func Need(tb testing.TB) {
	tb.Helper()
	_, err := Config().Find()
	need.Installed(tb, err)
}

// Config tells how to start an etcd: a single node, with an election timeout of a tenth of a second.
func Config() daemon.Config {
	return daemon.Config{
		Program: "etcd", Package: "etcd-server",
		Arguments: func(port int, dir string) []string {
			at := "http://127.0.0.1:" + strconv.Itoa(port)
			// It has no peers, so any port will do.
			const peers = "http://127.0.0.1:0"
			return []string{"--name", "z", "--data-dir", dir + "/data", "--listen-client-urls", at,
				"--advertise-client-urls", at, "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
				"--initial-cluster", "z=" + peers, "--unsafe-no-fsync", "--heartbeat-interval", "10",
				"--election-timeout", "100", "--log-level", "error"}
		},
		Answers: func(addr string) error {
			resp, err := http.Get("http://" + addr + "/health")
			if err != nil {
				return err
			}
			defer func() { _ = resp.Body.Close() }()
			if resp.StatusCode != http.StatusOK {
				return errors.New(resp.Status)
			}
			return nil
		},
	}
}
