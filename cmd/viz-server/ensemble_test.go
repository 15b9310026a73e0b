package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// typed is viz-server zookeeper with several servers, at a terminal.
type typed struct {
	t    *testing.T
	in   io.Writer
	mu   sync.Mutex
	said []string
	code chan int
	stop context.CancelFunc
}

func startTyped(t *testing.T, args ...string) *typed {
	ctx, interrupt := context.WithCancel(context.Background())
	t.Cleanup(interrupt)
	in, typing := io.Pipe()
	printed, out := io.Pipe()
	k := &typed{t: t, in: typing, code: make(chan int, 1), stop: interrupt}
	go func() {
		k.code <- execute(append([]string{"zookeeper"}, args...), &terminal{ctx: ctx, in: in, out: out, err: out})
		out.Close()
	}()
	go func() {
		for lines := bufio.NewScanner(printed); lines.Scan(); {
			k.mu.Lock()
			k.said = append(k.said, lines.Text())
			k.mu.Unlock()
		}
	}()
	return k
}

// hears waits for a line with all the parts, and returns it. It doesn't look at earlier lines again.
func (k *typed) hears(parts ...string) string {
	k.t.Helper()
	has := func(line string) bool {
		return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(line, p) })
	}
	for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		k.mu.Lock()
		i := slices.IndexFunc(k.said, has)
		if i >= 0 {
			line := k.said[i]
			k.said = k.said[i+1:]
			k.mu.Unlock()
			return line
		}
		k.mu.Unlock()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.t.Fatalf("it did not say %q, but %q", parts, k.said)
	return ""
}

func (k *typed) types(line string) {
	k.t.Helper()
	if _, err := fmt.Fprintln(k.in, line); err != nil {
		k.t.Fatal(err)
	}
}

// TestEnsembleByHand types commands against three running servers.
func TestEnsembleByHand(t *testing.T) {
	k := startTyped(t, "--addr", "127.0.0.1:0", "--servers", "3")
	first := k.hears("ZooKeeper-compatible ensemble on 127.0.0.1:", "Type help")
	at, _, _ := strings.Cut(strings.Fields(first)[3], ",")
	k.hears("server-3 leads epoch 1")
	p, err := peer.Dial(at, wire.ConnectRequest{TimeoutMS: 30_000})
	if err != nil {
		t.Fatal(err)
	}
	p.Abort()
	k.types("crash server-3")
	k.hears("server-3 is down")
	k.hears("leads epoch 2")
	k.types("start server-3")
	k.hears("server-3 follows in epoch 2")
	k.types("status")
	k.hears("server-3 follows in epoch 2", "zxid 0x", "127.0.0.1:")
	k.types("help")
	k.hears("Ctrl-C stops all servers.")
	for typed, want := range map[string]string{
		"fly server-1":                      "fly server-1",
		"crash server-7":                    "among 3 servers",
		"crash client-1":                    "client-1",
		"pause server-1":                    "needs 'for'",
		"crash server-1 at 5s":              "it happens as soon as you type it",
		"partition server-1 for 1s":         "server",
		"cut client-1 from server-1 for 1s": "client-1",
	} {
		k.types(typed)
		k.hears("viz-server: ", want, "type help")
	}
	k.stop()
	if code := <-k.code; code != exitOK {
		t.Errorf("exit code %d", code)
	}
}
