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

// TestServeWarns wants a word when others can reach the pages, and says what they can do to a ZooKeeper then. Nothing
// that they can do there writes, unless a flag lets them.
func TestServeWarns(t *testing.T) {
	for _, c := range []struct {
		args     string
		readOnly bool
		says     string // empty for nothing
	}{
		{"--zk 127.0.0.1:2181", false, ""},
		{"--addr [::1]:8080 --zk 127.0.0.1:2181", false, ""},
		{"--addr localhost:8080", false, ""},
		{"--addr 0.0.0.0:8080", false, "warning: other machines can reach 0.0.0.0:8080"},
		{"--addr 0.0.0.0:8080 --zk 127.0.0.1:2181", true, "unless --zk-write"},
		{"--addr :8080 --zk 127.0.0.1:2181", true, "unless --zk-write"},
		{"--addr [::]:8080 --zk 127.0.0.1:2181", true, "unless --zk-write"},
		{"--addr 192.0.2.7:8080 --zk 127.0.0.1:2181", true, "unless --zk-write"},
		{"--addr 192.0.2.7:8080 --redis 127.0.0.1:6379", true, "unless --zk-write"},
		{"--addr 192.0.2.7:8080 --zk 127.0.0.1:2181 --zk-write", false, "run recipes there below /zkviz"},
		{"--zk 127.0.0.1:2181 --zk-write", false, ""},
		{"--zk 127.0.0.1:2181 --read-only", true, ""},
		{"--addr :8080 --zk 127.0.0.1:2181 --read-only", true, "since --read-only says so"},
		{"--zk 127.0.0.1:2181 --allow-host viz.example.com", true, "reach this server as viz.example.com"},
		{"--zk 127.0.0.1:2181 --allow-host viz.example.com --zk-write", false, "run recipes there below /zkviz"},
	} {
		cmd, err := parseServe(t, strings.Fields(c.args)...)
		if err == nil {
			err = cmd.validate()
		}
		if err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		cmd.warn(&terminal{err: &errs})
		if got := errs.String(); !strings.Contains(got, c.says) || (got == "") != (c.says == "") ||
			cmd.config().ReadOnly != c.readOnly {
			t.Errorf("%s: read only %v, it says %q", c.args, cmd.config().ReadOnly, got)
		}
	}
}

// TestServiceFlags refuses what can't be meant, with the flag's name.
func TestServiceFlags(t *testing.T) {
	for args, says := range map[string]string{
		"--read-only --zk-write":                "--read-only and --zk-write contradict",
		"--allow-host http://a":                 `--allow-host: "http://a" is not a name like`,
		"--allow-host *.example.com":            "is not a name like",
		"--allow-host a:b":                      `"a:b" is not a name like`,
		"--allow-host :8080":                    `":8080" is not a name like`,
		"--allow-host viz.example.com,viz:8443": "",
	} {
		cmd, err := parseServe(t, strings.Fields(args)...)
		if err == nil {
			err = cmd.validate()
		}
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", args, err, says)
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
