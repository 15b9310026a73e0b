package attacks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/cmd/attack/internal/target"
	"github.com/zkviz/zkviz/engine/live/zktest"
)

const (
	tiny = 0.003 // of every size
	long = 10 * time.Second
)

// needZooKeeper are the attacks that start a real ZooKeeper.
var needZooKeeper = []string{"foreign-data", "foreign-page"}

var dir string

func TestMain(m *testing.M) {
	var err error
	if dir, err = os.MkdirTemp("", "attacks-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// vizServer is viz-server, built once.
var vizServer = sync.OnceValues(func() (string, error) {
	file := filepath.Join(dir, "viz-server")
	text, err := exec.Command("go", "build", "-o", file, "../../../viz-server").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("build viz-server: %w\n%s", err, text)
	}
	return file, err
})

// start starts a server for a test.
func start(t *testing.T) (*target.Server, string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("attacks are played on Linux")
	}
	file, err := vizServer()
	if err != nil {
		t.Fatal(err)
	}
	s, err := target.Start(target.Config{
		Program: file, MemoryMB: 2048, Dir: t.TempDir(),
		Args: []string{"--addr", "127.0.0.1:0", "--zk-listen", "127.0.0.1:0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s, file
}

// TestEach plays every attack at a small size. It must be played, whatever it finds.
func TestEach(t *testing.T) {
	s, file := start(t)
	t.Run("all", func(t *testing.T) {
		for _, a := range All() {
			t.Run(a.Name, func(t *testing.T) {
				t.Parallel()
				if slices.Contains(needZooKeeper, a.Name) {
					zktest.Need(t)
				}
				ctx, cancel := context.WithTimeout(t.Context(), long)
				defer cancel()
				if a.Name == "peace" {
					cancel() // it does nothing until its time is over
				}
				w := &World{
					Pages: s.Pages, ZooKeeper: s.ZooKeeper, PID: s.PID, Program: file, MemoryMB: 2048, Dir: t.TempDir(), Scale: tiny,
					Say: func(f Finding) { t.Log(f.Broken, f.Text) },
				}
				if err := a.Play(ctx, w); err != nil && !over(ctx, err) {
					t.Error(err)
				}
			})
		}
	})
	if err := Clean(t.Context(), client.Address(0, 5), s.ZooKeeper); err != nil {
		t.Fatal(err)
	}
	if n, err := Count(t.Context(), client.Address(0, 5), s.ZooKeeper, "/polite"); err != nil || n > 10 {
		t.Errorf("%d znodes are left on the server (%v)", n, err)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// TestTable: every attack says what it shows, and has a size.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range All() {
		if seen[a.Name] || a.Name == "" || !strings.HasSuffix(a.Shows, ".") || a.Weight <= 0 || a.Rest <= 0 || a.Play == nil {
			t.Errorf("%+v", a)
		}
		seen[a.Name] = true
	}
	if _, err := Find([]string{"peace", "nothing"}); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("an attack that there is not: %v", err)
	}
}

// TestControl plants control characters, and text without any.
func TestControl(t *testing.T) {
	for _, bad := range []string{"\x1b[2J", "a\rb", "\x07", "\x7f", "\u009b", "\x9b", "ok\nno\x00"} {
		if control([]byte(bad)) == "" {
			t.Errorf("%q passes", bad)
		}
	}
	for _, good := range []string{"", "two\nlines\tof text", "Größe – “quoted” ✓", `\x1b[2J`} {
		if c := control([]byte(good)); c != "" {
			t.Errorf("%q does not pass: %s", good, c)
		}
	}
	for name, text := range escaped() {
		if control([]byte(name)) != "" {
			continue // it is the file's name that has it
		}
		if !bytes.Contains([]byte(text), []byte("u001b")) && !strings.ContainsAny(text, "\x1b\x9b") {
			t.Errorf("the trace %q has nothing in it", name)
		}
	}
}

// TestGone plants the loss of foreign data, and a change.
func TestGone(t *testing.T) {
	var said []string
	w := &World{Say: func(f Finding) {
		if f.Broken {
			said = append(said, f.Text)
		}
	}}
	before := map[string]found{"/a": {"1", 1, 1}, "/b": {"2", 2, 2}, "/c": {"3", 3, 3}, "/d": {"4", 4, 4}}
	w.compare(before, map[string]found{"/a": {"1", 1, 1}, "/b": {"x", 2, 9}, "/d": {"4", 8, 8}, "/new": {"", 7, 7}})
	if want := []string{"2 foreign znodes were removed: /c, /d", "1 foreign znodes were changed: /b"}; !slices.Equal(said,
		want) {
		t.Errorf("%q, want %q", said, want)
	}
	said = nil
	if w.compare(before, before); said != nil {
		t.Errorf("nothing has changed: %q", said)
	}
}

// TestPaced: it stops with its time, and never has more at work than it may.
func TestPaced(t *testing.T) {
	var mu sync.Mutex
	now, most, calls := 0, 0, 0
	paced(t.Context(), 50, 10_000, 4, func(context.Context, int) {
		mu.Lock()
		now, calls = now+1, calls+1
		most = max(most, now)
		mu.Unlock()
		runtime.Gosched()
		mu.Lock()
		now--
		mu.Unlock()
	})
	if calls != 50 || most > 4 || now != 0 {
		t.Errorf("%d calls, up to %d at once, %d are left", calls, most, now)
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls = 0
	paced(ctx, 1000, 10_000, 1, func(context.Context, int) {
		if calls++; calls == 3 {
			cancel()
		}
	})
	if calls > 5 {
		t.Errorf("%d calls, and it was stopped after 3", calls)
	}
	if !over(ctx, errors.New("any")) {
		t.Error("its time is over, and over does not say so")
	}
}
