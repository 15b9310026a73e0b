package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/static/join"
)

// TestServeWithZooKeeperInside starts the server with a ZooKeeper inside, and joins its queue from outside.
func TestServeWithZooKeeperInside(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	printed, out := io.Pipe()
	var errs bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- execute([]string{"serve", "--addr", "127.0.0.1:0", "--zk-listen", "127.0.0.1:0"},
			&terminal{ctx: ctx, out: out, err: &errs})
		out.Close()
	}()
	addr := ""
	for lines := bufio.NewScanner(printed); addr == "" && lines.Scan(); {
		_, addr, _ = strings.Cut(lines.Text(), "programs of your own: ")
	}
	go io.Copy(io.Discard, printed)
	if addr == "" {
		t.Fatalf("no address was printed; exit code %d, stderr: %s", <-code, errs.String())
	}
	conn, _, err := zk.Connect([]string{addr}, 40*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	lock := zk.NewLock(conn, join.Path, zk.WorldACL(zk.PermAll))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	if names, _, err := conn.Children(join.Path); err != nil || len(names) != 1 {
		t.Errorf("the queue is %q, %v", names, err)
	}
	interrupt()
	select {
	case got := <-code:
		if got != exitOK {
			t.Errorf("exit code %d, stderr: %s", got, errs.String())
		}
	case <-time.After(10 * time.Minute):
		t.Error("the server did not stop")
	}
}

// TestZKListenRefuses checks that an unavailable address is an error.
func TestZKListenRefuses(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for where, want := range map[string]string{
		taken.Addr().String(): "another program is already listening there; stop it, or choose another address, or " +
			"let --zk-listen auto find",
		"2181":            "is not HOST:PORT",
		"127.0.0.1:zoo":   "is not HOST:PORT",
		"127.0.0.1:99999": "is not HOST:PORT",
	} {
		var errs bytes.Buffer
		code := execute([]string{"--addr", "127.0.0.1:0", "--zk-listen", where},
			&terminal{ctx: t.Context(), out: io.Discard, err: &errs})
		if got := errs.String(); code != exitTrouble || !strings.Contains(got, want) ||
			!strings.Contains(got, "--zk-listen") {
			t.Errorf("--zk-listen %s: exit code %d, %q", where, code, got)
		}
	}
}

// TestZKListenAuto finds a free address, whatever else runs here, or explains why there is none.
func TestZKListenAuto(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	for _, others := range [][]string{nil, {"127.0.0.1:2181", "localhost:2182"}} {
		said.Reset()
		addr, err := builtInZooKeeper.pick(auto, 1, others, &said)
		if err != nil {
			t.Fatal(err)
		}
		if addr != "127.0.0.1:2181" && said.Len() == 0 {
			t.Errorf("it is %q, and nothing says why", addr)
		}
		if others != nil && (addr == "127.0.0.1:2181" || addr == "127.0.0.1:2182") {
			t.Errorf("it takes %s from a server that was named", addr)
		}
	}
}

// TestZKListenWarns checks for a warning when others can reach the ZooKeeper inside.
func TestZKListenWarns(t *testing.T) {
	t.Parallel()
	for where, warns := range map[string]bool{"127.0.0.1:0": false, "0.0.0.0:0": true} {
		var said bytes.Buffer
		s, err := listenInside(t.Context(), where, 1, nil, &said)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if got := strings.Contains(said.String(), "warning: "); got != warns {
			t.Errorf("%s: it says %q", where, said.String())
		}
	}
}
