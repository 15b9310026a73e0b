package target_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/attack/internal/target"
)

// script writes a program that stands in for a server.
func script(t *testing.T, text string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("attacks are played on Linux")
	}
	file := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

const serving = "echo http://127.0.0.1:1/\necho 'ZooKeeper for programs of your own: 127.0.0.1:2'\n"

// TestDeath plants the death of a server, which must be told with its reason.
func TestDeath(t *testing.T) {
	s, err := target.Start(target.Config{
		Program: script(t, serving+"read x\n"), MemoryMB: 100, Dir: t.TempDir(), Args: []string{"--zk-listen", "auto"},
	})
	if err != nil {
		t.Fatal(err)
	}
	<-s.Ended() // its input is empty
	if s.Pages != "http://127.0.0.1:1" || s.ZooKeeper != "127.0.0.1:2" || s.Death() == "" {
		t.Errorf("%+v, death %q", s, s.Death())
	}
	lines := strings.Repeat("echo a line of the log >&2\n", 100)
	s, err = target.Start(target.Config{Program: script(t, serving+lines+"echo 'fatal error: planted' >&2\n"+lines+
		"exit 2\n"), MemoryMB: 100, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	<-s.Ended()
	if got, want := s.Death(), "fatal error: planted (exit status 2)"; got != want {
		t.Errorf("it died of %q, want %q", got, want)
	}
	if err := s.Stop(); err == nil || !strings.Contains(err.Error(), "planted") {
		t.Errorf("stopping it: %v", err)
	}
}

// TestStop stops a server as its user would; one that has not been asked lives.
func TestStop(t *testing.T) {
	s, err := target.Start(target.Config{
		Program: script(t, "trap 'exit 0' TERM\n"+serving+"while :; do sleep 0.01; done\n"), MemoryMB: 100, Dir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.Death() != "" {
		t.Errorf("it is dead: %s", s.Death())
	}
	if u, err := target.UsageOf(s.PID); err != nil || u.PeakMB <= 0 && u.ResidentMB < 0 || u.Files == 0 {
		t.Errorf("%+v, %v", u, err)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := target.UsageOf(s.PID); err == nil {
		t.Error("it is over, and is said to have memory")
	}
}

// TestLimit gives a program less memory than it takes.
func TestLimit(t *testing.T) {
	fill := "x=a\nwhile :; do x=$x$x; done\n"
	_, err := target.Start(target.Config{Program: script(t, fill), MemoryMB: 50, Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "ended before it listened") {
		t.Errorf("it ends with %v", err)
	}
}

func TestTicks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	before := target.TicksOf(os.Getpid())
	for after := before; after.Ours < before.Ours+5; after = target.TicksOf(os.Getpid()) { // work until it shows
		if after.Machine < before.Machine || after.Busy > after.Machine || after.Ours > after.Busy {
			t.Fatalf("from %+v to %+v", before, after)
		}
	}
}
