package daemon_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/daemon"
)

// shell is a server that runs the script.
func shell(script string) daemon.Config {
	return daemon.Config{
		Program: "sh", Arguments: func(int, string) []string { return []string{"-c", script} },
		Answers: func(string) error { return nil },
	}
}

func TestStartAndClose(t *testing.T) {
	s, err := daemon.Start(shell("exec sleep 600"))
	if err != nil {
		t.Fatal(err)
	}
	if s.PID() == os.Getpid() || !strings.HasPrefix(s.Addr(), "127.0.0.1:") {
		t.Errorf("it is process %d at %s", s.PID(), s.Addr())
	}
	s.Close()
	s.Close()
	if _, err := os.Stat("/proc/" + strconv.Itoa(s.PID())); err == nil {
		t.Error("it is still there")
	}
}

func TestSaysWhatIsWrong(t *testing.T) {
	cfg := shell("echo no such setting; exit 3")
	cfg.Answers = func(string) error { return errors.New("not yet") }
	if _, err := daemon.Start(cfg); err == nil || !strings.Contains(err.Error(), "no such setting") {
		t.Errorf("got %v", err)
	}
	_, err := daemon.Start(daemon.Config{Program: "no-such-server", Package: "its-package"})
	if !errors.Is(err, daemon.ErrMissing) || !strings.Contains(err.Error(), "its-package") {
		t.Errorf("got %v", err)
	}
}
