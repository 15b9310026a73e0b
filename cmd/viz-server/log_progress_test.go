package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/observe/past"
)

// TestReading checks that progress has its own line, and whole lines of output replace it.
func TestReading(t *testing.T) {
	var screen bytes.Buffer // a terminal shows out and err together
	term := (&terminal{out: &screen, err: &screen, errTTY: true}).escaping()
	r := &fileProgress{out: term.out, size: 2_000_000_000, bar: &bar{term: term}}
	says(t, r, "read: 0 % of 2000.0 MB")
	r.read.Store(1_990_000_000)
	r.seeking.Store(true)
	says(t, r, "looking for the end: 99 % of 2000.0 MB")
	r.bar.line = r.line
	for _, part := range []string{"one", " line\nand ", "another", "\n"} {
		r.draw()
		if n, err := r.Write([]byte(part)); n != len(part) || err != nil {
			t.Error(n, err)
		}
	}
	r.complain(past.Trouble{Path: "log.1", Err: past.ErrServers})
	var shown []string
	for _, line := range strings.Split(screen.String(), "\n") {
		if i := strings.LastIndexAny(line, "\r\x1b"); i >= 0 {
			line = strings.TrimPrefix(line[i+1:], "[K")
		}
		shown = append(shown, line)
	}
	if got := strings.Join(shown, "\n"); got != "one line\nand another\nviz-server: log.1: "+past.ErrServers.Error()+"\n" {
		t.Errorf("it shows %q, of %q", got, screen.String())
	}
}

func says(t *testing.T, r *fileProgress, want string) {
	t.Helper()
	if got := r.line(); got != want {
		t.Errorf("it says %q, not %q", got, want)
	}
}
