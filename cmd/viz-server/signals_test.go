package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// hangsUp keeps started programs from ignoring SIGHUP under nohup: they inherit ignored signals, but not handlers.
func hangsUp(t *testing.T) {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(told) })
}

// TestExitCodeIsTheSignal checks that an interrupted command ends with the shell's code for the signal.
func TestExitCodeIsTheSignal(t *testing.T) {
	t.Parallel()
	hangsUp(t)
	for s, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		cmd := exec.Command("viz-server", "run", "unique-lock", "--zk", "127.0.0.1:1")
		errs, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(errs)
		if !lines.Scan() || !strings.Contains(lines.Text(), "trying again") {
			t.Errorf("%v: it says %q", s, lines.Text())
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		var last string
		for lines.Scan() {
			last = lines.Text()
		}
		_ = cmd.Wait() // the exit code tells
		if got := cmd.ProcessState.ExitCode(); got != want || last != "viz-server: interrupted" {
			t.Errorf("%v: exit code %d, want %d; it says %q at last", s, got, want, last)
		}
	}
}

// TestHangUpKeepsData closes a server's terminal, which sends the signal twice. The server must save its data.
func TestHangUpKeepsData(t *testing.T) {
	t.Parallel()
	hangsUp(t)
	data := filepath.Join(t.TempDir(), "data")
	cmd := exec.Command("viz-server", "zookeeper", "--addr", "127.0.0.1:0", "--data", data)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	p, err := peer.Dial(addressIn.FindString(line), wire.ConnectRequest{TimeoutMS: 30_000})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Abort()
	if r := ask(t, p, wire.Request{Op: wire.OpCreate, Path: "/kept", ACL: zoo.OpenACL()}); r.Code != zoo.OK {
		t.Fatal(r.Code)
	}
	for range 2 {
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Log(err) // the first was enough
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, errs.String())
	}
	e := startEmbedded(t, "--addr", "127.0.0.1:0", "--data", data)
	q := e.dial(wire.ConnectRequest{TimeoutMS: 30_000})
	if r := ask(t, q, wire.Request{Op: wire.OpExists, Path: "/kept"}); r.Code != zoo.OK {
		t.Errorf("what was created is gone: %v", r.Code)
	}
	e.stop()
}
