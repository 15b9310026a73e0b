package main

import (
	"bytes"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
)

// TestProgressSaysWhatIsNew checks that an unreachable cluster's reason is reported once.
func TestProgressSaysWhatIsNew(t *testing.T) {
	var errs bytes.Buffer
	p := &progress{}
	p.bar = &bar{term: (&terminal{err: &errs}).escaping(), line: p.line}
	said := func(want string) {
		t.Helper()
		p.draw()
		if got := errs.String(); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
		errs.Reset()
	}
	said("")
	p.Append(event.Event{Kind: event.RunStarted})
	said("1 event so far, the last at 0s\n")
	said("")
	p.Append(event.Event{Kind: event.Disconnected, Text: "127.0.0.1:1: connection refused"})
	said("no connection: 127.0.0.1:1: connection refused; trying again\n")
	said("")
	p.Append(event.Event{Kind: event.Reconnected})
	said("connected again\n")
	p.Append(event.Event{Kind: event.RecipeNote})
	said("4 events so far, the last at 0s\n")
	p.term.errTTY = true
	said("")
	p.Append(event.Event{Kind: event.RecipeNote})
	said("\r\x1b[K5 events so far, the last at 0s")
	said("")
}
