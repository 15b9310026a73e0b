package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestServeUntilInterrupted starts the server on a free port, opens the printed address, and stops it as
// Ctrl-C does.
func TestServeUntilInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	printed, out := io.Pipe()
	var errs bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- execute([]string{"--addr", "127.0.0.1:0"}, &terminal{ctx: ctx, out: out, err: &errs})
		out.Close()
	}()
	var url string
	for lines := bufio.NewScanner(printed); url == "" && lines.Scan(); {
		if i := strings.Index(lines.Text(), "http://127.0.0.1:"); i >= 0 {
			url = lines.Text()[i:]
		}
	}
	go io.Copy(io.Discard, printed)
	if url == "" {
		t.Fatalf("no address was printed; exit code %d, stderr: %s", <-code, errs.String())
	}
	page, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(page.Body)
	if err != nil || page.StatusCode != http.StatusOK || !strings.Contains(string(body), "ZooKeeper") {
		t.Errorf("%s answered %s (%v): %.200s", url, page.Status, err, body)
	}
	page.Body.Close()
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

// TestServeWarns wants a word when others can reach the pages, and says what they can do to a ZooKeeper then.
func TestServeWarns(t *testing.T) {
	for _, c := range []struct {
		addr, zk string
		write    bool
		readOnly bool
		says     string // empty for nothing
	}{
		{"127.0.0.1:8080", "127.0.0.1:2181", false, false, ""},
		{"[::1]:8080", "127.0.0.1:2181", false, false, ""},
		{"localhost:8080", "", false, false, ""},
		{"0.0.0.0:8080", "", false, false, "warning: other machines can reach 0.0.0.0:8080"},
		{":8080", "127.0.0.1:2181", false, true, "unless --zk-write"},
		{"[::]:8080", "127.0.0.1:2181", false, true, "unless --zk-write"},
		{"192.0.2.7:8080", "127.0.0.1:2181", false, true, "unless --zk-write"},
		{"192.0.2.7:8080", "127.0.0.1:2181", true, false, "run recipes there below /zkviz"},
		{"127.0.0.1:8080", "127.0.0.1:2181", true, false, ""},
	} {
		cmd := serveCmd{Addr: c.addr, ZKWrite: c.write, clusterFlags: clusterFlags{ZKPath: "/zkviz"}}
		if c.zk != "" {
			cmd.ZK = []string{c.zk}
		}
		var errs bytes.Buffer
		cmd.warn(&terminal{err: &errs})
		if got := errs.String(); !strings.Contains(got, c.says) || (got == "") != (c.says == "") ||
			cmd.readOnly() != c.readOnly {
			t.Errorf("%+v: read only %v, it says %q", c, cmd.readOnly(), got)
		}
	}
}

// TestInterruptedRun stops a run in its middle: it says so and leaves no file.
func TestInterruptedRun(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	file := t.TempDir() + "/trace"
	var out, errs bytes.Buffer
	time.AfterFunc(50*time.Millisecond, interrupt)
	args := []string{"run", "children-lock", "--clients", "1000", "--rounds", "1000", "--trace", file}
	if code := execute(args, &terminal{ctx: ctx, out: &out, err: &errs}); code != exitTrouble {
		t.Errorf("exit code %d, want %d", code, exitTrouble)
	}
	if got := soFar.ReplaceAllString(errs.String(), ""); got != "viz-server: interrupted\n" || out.Len() > 0 {
		t.Errorf("stderr %q, stdout %q", got, out.String())
	}
	if left := filesIn(t, file); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
}

func filesIn(t *testing.T, file string) []string {
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
