package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// served starts a server. The returned stop ends it and returns its log.
func served(t *testing.T, args ...string) (address string, stop func() (code int, log string)) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	logged, errs := io.Pipe()
	code, rest := make(chan int, 1), new(bytes.Buffer)
	go func() {
		code <- execute(append([]string{"serve", "--addr", "127.0.0.1:0", "--log-format", "json"}, args...),
			&terminal{ctx: ctx, out: io.Discard, err: errs})
		errs.Close()
	}()
	lines := bufio.NewScanner(io.TeeReader(logged, rest))
	for address == "" && lines.Scan() {
		var line struct{ Msg, What, At string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Errorf("%s isn't JSON: %v", lines.Text(), err)
		}
		if line.What == "pages" {
			address = line.At
		}
	}
	ended := make(chan struct{})
	go func() { // a server that can't write its log waits
		for lines.Scan() {
		}
		close(ended)
	}()
	return address, func() (int, string) {
		interrupt()
		<-ended
		return <-code, rest.String()
	}
}

// TestLogIsJSON checks that every line of a server's log is an object, from start to end.
func TestLogIsJSON(t *testing.T) {
	t.Parallel()
	_, stop := served(t, "--zk-listen", "127.0.0.1:0", "--base-path", "/zkviz", "--zk", "127.0.0.1:1")
	code, log := stop()
	if code != exitOK {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{`"level":"WARN","msg":"other machines can reach this server through a proxy`,
		`"msg":"listening","at":"http://127.0.0.1:`, `"what":"ZooKeeper for programs of your own"`, `"msg":"stopping"`} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s:\n%s", want, log)
		}
	}
	for line := range strings.Lines(log) {
		if !json.Valid([]byte(line)) {
			t.Errorf("%s isn't JSON", line)
		}
	}
}

// TestHealth asks a running server, at any base path, and one that doesn't run.
func TestHealth(t *testing.T) {
	t.Parallel()
	address, stop := served(t, "--base-path", "/zkviz")
	defer stop()
	u, err := url.Parse(address)
	if err != nil || u.Path != "/zkviz" {
		t.Fatal(address, err)
	}
	for addr, says := range map[string]string{
		u.Host: `"ready":`, ":" + u.Port(): `"ready":`, "0.0.0.0:" + u.Port(): `"ready":`,
		"127.0.0.1:1": "no server replies at 127.0.0.1:1", "nowhere": `"nowhere" is not HOST:PORT`,
	} {
		var out, errs bytes.Buffer
		code := execute([]string{"health", "--addr", addr}, &terminal{ctx: t.Context(), out: &out, err: &errs})
		said := out.String() + errs.String()
		ready := strings.Contains(said, `"ready":true`) // not in a build without the browser's program
		if !strings.Contains(said, says) || (code == exitOK) != ready {
			t.Errorf("%s: exit code %d, %s", addr, code, said)
		}
	}
}

// TestLogLines checks that written lines are logged, and warnings with their level.
func TestLogLines(t *testing.T) {
	var out bytes.Buffer
	f := loggingFlags{LogFormat: "text", LogLevel: "warn"}
	l := lineLogger{f.logger(&out)}
	for _, line := range []string{"a thing\n", "warning: another\n"} {
		if n, err := l.Write([]byte(line)); n != len(line) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if got := out.String(); !strings.HasSuffix(got, " level=WARN msg=another\n") || strings.Count(got, "\n") != 1 {
		t.Errorf("it logs %q", got)
	}
	f.LogLevel = "debug"
	if !f.logger(&out).Enabled(t.Context(), slog.LevelDebug) {
		t.Error("debug isn't logged")
	}
}

// TestLogWords checks that a sentence within an error is logged in words.
func TestLogWords(t *testing.T) {
	err := fmt.Errorf("do it: %w", sentence.Error("bad.contenders", sentence.Number(100), sentence.Number(101)))
	for _, format := range []string{"text", "json"} {
		var out bytes.Buffer
		log := loggingFlags{LogFormat: format, LogLevel: "info"}.logger(&out)
		log.Warn("no", "why", err, "both", errors.Join(err, errors.New("another")))
		log.With("error", err).Info("no")
		if n := strings.Count(out.String(), "there can be 0 to 100 contenders, not 101"); n != 3 ||
			strings.Contains(out.String(), "bad.contenders") || !strings.Contains(out.String(), "another") {
			t.Errorf("it logs %s", out.String())
		}
	}
}
