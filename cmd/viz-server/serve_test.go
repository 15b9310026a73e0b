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

// TestServeUntilInterrupted starts the server on a free port, opens the printed address, and stops it like Ctrl-C.
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

// TestServeWarns checks for a warning when others can reach the pages, with what they could do to a ZooKeeper. They
// can't write unless a flag allows it.
func TestServeWarns(t *testing.T) {
	token := fileOf(t, "token", "0123456789abcdef\n")
	for _, c := range []struct {
		args     string
		readOnly bool
		says     string // empty for no warning
	}{
		{"--zk 127.0.0.1:2181", false, ""},
		{"--addr [::1]:8080 --zk 127.0.0.1:2181", false, ""},
		{"--addr localhost:8080", false, ""},
		{"--addr 0.0.0.0:8080", false, "other machines can reach 0.0.0.0:8080"},
		{"--addr 0.0.0.0:8080 --zk 127.0.0.1:2181", true, "unless --zk-write"},
		{"--addr :8080 --zk 127.0.0.1:2181", true, "unless --zk-write"},
		{"--addr [::]:8080 --zk 127.0.0.1:2181", true, "unless --zk-write"},
		{"--addr 192.0.2.7:8080 --zk 127.0.0.1:2181", true, "unless --zk-write"},
		{"--addr 192.0.2.7:8080 --redis 127.0.0.1:6379", true, "unless --zk-write"},
		{"--addr 192.0.2.7:8080 --zk 127.0.0.1:2181 --zk-write", false, "run recipes there below /zkviz"},
		{"--zk 127.0.0.1:2181 --zk-write", false, ""},
		{"--zk 127.0.0.1:2181 --read-only", true, ""},
		{"--addr :8080 --zk 127.0.0.1:2181 --read-only", true, "because of --read-only"},
		{"--zk 127.0.0.1:2181 --allow-host viz.example.com", true, "reach this server through a proxy"},
		{"--zk 127.0.0.1:2181 --allow-host viz.example.com --zk-write", false, "run recipes there below /zkviz"},
		{"--zk 127.0.0.1:2181 --base-path /zkviz", true, "reach this server through a proxy"},
		{"--zk 127.0.0.1:2181 --trust-proxy 127.0.0.1 --auth-header X-User", true, ""},
		{"--addr 0.0.0.0:8080 --zk 127.0.0.1:2181 --token-file " + token, true, ""},
		{"--addr 0.0.0.0:8080 --zk 127.0.0.1:2181 --zk-write --token-file " + token, false, ""},
	} {
		cmd, err := parseServe(t, strings.Fields(c.args)...)
		if err == nil {
			err = cmd.validate()
		}
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := cmd.config()
		if got := cmd.warning(); err != nil || !strings.Contains(got, c.says) || (got == "") != (c.says == "") ||
			cfg.ReadOnly != c.readOnly {
			t.Errorf("%s: read only %v, it says %q, %v", c.args, cfg.ReadOnly, got, err)
		}
	}
}

// TestServiceFlags checks that impossible values are refused with the flag's name.
func TestServiceFlags(t *testing.T) {
	short, right := fileOf(t, "token", "hunter2\n"), fileOf(t, "token", "0123456789abcdef\n")
	for args, says := range map[string]string{
		"--read-only --zk-write":                     "--read-only and --zk-write contradict",
		"--allow-host http://a":                      `--allow-host: "http://a" is not a name like`,
		"--allow-host *.example.com":                 "is not a name like",
		"--allow-host a:b":                           `"a:b" is not a name like`,
		"--allow-host :8080":                         `":8080" is not a name like`,
		"--allow-host viz.example.com,viz:8443":      "",
		"--base-path zkviz":                          `--base-path: "zkviz" is not a path like`,
		"--base-path /":                              "is not a path like",
		"--base-path /zkviz/":                        "is not a path like",
		"--base-path /a//b":                          "is not a path like",
		"--base-path /a/../b":                        "is not a path like",
		`--base-path /a"b`:                           "is not a path like",
		"--base-path /{a}":                           "is not a path like",
		"--base-path /team/zkviz-2":                  "",
		"--embed-origin course.example":              `--embed-origin: "course.example" is not an origin like`,
		"--embed-origin https://a/b":                 "is not an origin like",
		"--embed-origin https://a/":                  "is not an origin like",
		"--embed-origin https://a:443":               "is not an origin like",
		"--embed-origin https://*.a":                 "is not an origin like",
		"--embed-origin https://a;b":                 "is not an origin like",
		"--embed-origin https://A":                   "is not an origin like",
		"--embed-origin https://u@a":                 "is not an origin like",
		"--embed-origin data:a":                      "is not an origin like",
		"--embed-origin https://":                    "is not an origin like",
		"--embed-origin *":                           "",
		"--embed-origin http://[::1]:8000":           "is not an origin like",
		"--embed-origin https://a,http://[::1]:8000": "is not an origin like",
		"--embed-origin https://a,http://b.c:8000":   "",
		"--trust-proxy 10.0.0.0/33":                  `--trust-proxy: "10.0.0.0/33" is not an address`,
		"--trust-proxy proxy":                        "is not an address",
		"--trust-proxy ::1,10.0.0.0/8":               "",
		"--auth-header X-User":                       "name the proxies to trust with --trust-proxy",
		"--token-file nowhere":                       "--token-file: open nowhere",
		"--token-file " + short:                      "at least 16 characters, not 7",
		"--token-file " + right:                      "",
		"--stop-within 0s":                           "--stop-within: 0s is too short",
		"--log-level loud":                           "must be one of",
		"--log-format xml":                           "must be one of",
	} {
		cmd, err := parseServe(t, strings.Fields(args)...)
		if err == nil {
			err = cmd.validate()
		}
		if err == nil {
			_, err = cmd.config()
		}
		if (err == nil) != (says == "") || err != nil && (!strings.Contains(err.Error(), says) ||
			strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s: %v, want %q", args, err, says)
		}
	}
}

// TestInterruptedRun interrupts a run, which must say so and leave no file.
func TestInterruptedRun(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	file := t.TempDir() + "/trace"
	var out, errs bytes.Buffer
	time.AfterFunc(50*time.Millisecond, interrupt)
	args := []string{"run", "children-lock", "--clients", "1000", "--rounds", "1000", "--trace", file}
	if code := execute(args, &terminal{ctx: ctx, out: &out, err: &errs}); code != 130 {
		t.Errorf("exit code %d, want 130", code)
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
