package embed

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// flaky is a listener that has too many open files for a while.
type flaky struct {
	net.Listener
	failures atomic.Int32
}

func (f *flaky) Accept() (net.Conn, error) {
	if f.failures.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return f.Listener.Accept()
}

// TestAcceptErrors checks that the server survives failed accepts, without a busy loop or a flooded log.
func TestAcceptErrors(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &flaky{Listener: ln}
	f.failures.Store(4)
	var log bytes.Buffer
	s, err := serve(Config{Log: &log}.withDefaults(), f)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Minute))
	if _, err := c.Write([]byte("ruok")); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 4)); n != 4 {
		t.Errorf("no answer came: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := strings.Count(log.String(), "too many open files"); got != 4 {
		t.Errorf("4 failures made %d lines", got)
	}
}

// TestJournal checks that the log is limited to a number of lines per period, and counts those left out.
func TestJournal(t *testing.T) {
	var b bytes.Buffer
	j := journal{w: &b}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for range logLines + 5 {
		j.print(now, "again")
	}
	j.flush()
	if got := strings.Count(b.String(), "\n"); got != logLines {
		t.Errorf("%d lines, want %d", got, logLines)
	}
	j.print(now.Add(logEvery), "later")
	j.flush()
	if want := "00:00:10 5 more lines like these were left out\n00:00:10 later\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("it ends with %q", b.String())
	}
}

// stuck blocks writes until it is released.
type stuck struct {
	letGo chan struct{}
	took  strings.Builder
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.letGo
	return s.took.Write(p)
}

// TestLogIsNotWaitedFor uses a terminal that accepts nothing. Nobody waits for it, and the lines beyond a bound are
// counted.
func TestLogIsNotWaitedFor(t *testing.T) {
	w := &stuck{letGo: make(chan struct{})}
	j := journal{w: w}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const stretches = 3 * logWaiting / logLines
	for i := range stretches {
		for range logLines {
			j.print(now.Add(time.Duration(i)*logEvery), "again")
		}
	}
	close(w.letGo)
	j.flush()
	j.print(now.Add(stretches*logEvery), "later")
	j.flush()
	written := strings.Count(w.took.String(), " again\n")
	if written < logWaiting || written > 2*logWaiting { // the writer may hold as many again
		t.Errorf("%d lines were kept for the writer, want %d at least", written, logWaiting)
	}
	left := 0
	for line := range strings.Lines(w.took.String()) {
		var n int
		if _, err := fmt.Sscanf(line[len("00:00:00 "):], "%d more lines like these were left out", &n); err == nil {
			left += n
		}
	}
	if written+left != stretches*logLines {
		t.Errorf("%d lines were written and %d left out, of %d", written, left, stretches*logLines)
	}
}

// TestTwoServersWithOneFile checks that, without working locks, each server refuses to overwrite what the other has
// written.
func TestTwoServersWithOneFile(t *testing.T) {
	path := t.TempDir() + "/data"
	first, _, err := openData(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.save([]byte("one")); err != nil {
		t.Fatal(err)
	}
	first.close()
	second, snapshot, err := openData(path)
	if err != nil || string(snapshot) != "one" {
		t.Fatalf("%q, %v", snapshot, err)
	}
	if err := second.save([]byte("two")); err != nil {
		t.Error(err)
	}
	if err := first.save([]byte("three")); err == nil || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("a file of somebody else was overwritten: %v", err)
	}
	if snapshot, err = os.ReadFile(path); string(snapshot) != "two" {
		t.Errorf("%q, %v", snapshot, err)
	}
}

// TestDataIsNeverHalf reads the file while it is written again and again. It always finds one whole snapshot.
func TestDataIsNeverHalf(t *testing.T) {
	path := t.TempDir() + "/data"
	file, _, err := openData(path)
	if err != nil {
		t.Fatal(err)
	}
	saved := make(chan error, 1)
	go func() {
		for i := range 100 {
			if err := file.save(bytes.Repeat([]byte{byte(i)}, 50_000+i)); err != nil {
				saved <- err
				return
			}
		}
		saved <- nil
	}()
	for {
		snapshot, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if n := len(snapshot); n > 0 && !bytes.Equal(snapshot, bytes.Repeat(snapshot[:1], 50_000+int(snapshot[0]))) {
			t.Fatalf("%d bytes of %d", n, snapshot[0])
		}
		select {
		case err := <-saved:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}

// TestListenErrors checks that errors are sentences that say what to do.
func TestListenErrors(t *testing.T) {
	s, err := Listen(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := Listen(Config{Addr: s.Addr().String()}); err == nil || !errors.Is(err, syscall.EADDRINUSE) ||
		!strings.Contains(err.Error(), "choose another address") {
		t.Error(err)
	}
	if _, err := Listen(Config{Tick: time.Nanosecond}); err == nil || !strings.Contains(err.Error(), "tick") {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Dial(); !errors.Is(err, net.ErrClosed) {
		t.Error("a closed server was dialled:", err)
	}
}
