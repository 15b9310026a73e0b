package main

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
)

// until returns what the first message says that isn't about how far something is, and brings a run or a branch.
func until[M protocol.Message](t *testing.T, e end) M {
	t.Helper()
	for {
		m := e.next()
		if m.Kind != "text" {
			continue
		}
		said, err := protocol.ParseMessage([]byte(m.Data))
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := said.(*protocol.Refusal); ok {
			t.Fatal(r.Why)
		}
		if said, ok := said.(M); ok {
			return said
		}
	}
}

// opened opens a run, makes its branches one from the other, and returns its name.
func opened(t *testing.T, e end, open []message, faults []string) (name string) {
	t.Helper()
	for _, m := range open {
		e.send(m)
	}
	name = until[*protocol.Run](t, e).Run
	for i, f := range faults {
		e.send(asked(protocol.Request{Do: protocol.Inject, Branch: i, Fault: f}))
		for until[*protocol.Branch](t, e).ID <= i {
		}
	}
	return name
}

// saves asks the engine for a trace file, and returns it with its name, or why there is none.
func (w *inNode) saves(q url.Values) (file, name, why string) {
	w.t.Helper()
	w.send(message{Kind: "save", ID: 1, Data: q.Encode()})
	for {
		switch m := w.next(); m.Kind {
		case "piece":
			file += m.Data
		case "saved":
			return file, m.Data, ""
		case "text":
			said, err := protocol.ParseMessage([]byte(m.Data))
			if err != nil {
				w.t.Fatal(err)
			}
			if r, ok := said.(*protocol.Refusal); ok {
				return "", "", r.Why.Key
			}
		}
	}
}

// TestSameTraces checks that the engine saves logs as a server does, byte for byte and under the same name: those of
// runs that it has, and of runs that only a server had.
func TestSameTraces(t *testing.T) {
	w := newInNode(t)
	for name, x := range map[string]struct {
		query  string
		faults []string
		long   bool
	}{
		"a run":    {query: "recipe=unique-lock&clients=5&hold=3s"},
		"a branch": {query: "recipe=unique-lock&clients=5&hold=3s", faults: []string{"crash client-1 at 2s"}},
		"a branch's branch": {query: "recipe=redlock&clients=3",
			faults: []string{"crash client-2 at 2s", "pause client-1 at 4s for 9s"}},
		"its own faults": {query: "recipe=predecessor-lock&clients=4&servers=3&fault=crash+server-1+at+3s",
			faults: []string{"partition server-2 | server-1 server-3 at 1s for 8s"}},
		"many pieces": {query: "recipe=children-lock&clients=200", long: true},
		"a file":      {},
	} {
		if x.long && testing.Short() {
			continue
		}
		n, open := newNative(t), []message{opens(x.query)}
		if x.query == "" {
			open = []message{{Kind: "file", Name: name, File: recorded(t)},
				asked(protocol.Request{Do: protocol.File, Name: name})}
		}
		there, branch := opened(t, n, open, x.faults), len(x.faults)
		log, _, found := n.runs.Log(there, branch)
		var want bytes.Buffer
		if !found || !log.WriteTrace(t.Context(), &want) {
			t.Fatalf("%s: a server has no trace", name)
		}
		check := func(where, run string, q url.Values) {
			q.Set("run", run)
			q.Set("branch", string(rune('0'+branch)))
			if file, as, why := w.saves(q); file != want.String() || as != room.TraceFile(run, branch) {
				t.Errorf("%s %s: the engine saves %d bytes as %q %s, in a server there are %d", name, where, len(file), as, why,
					want.Len())
			}
		}
		if x.query != "" {
			check("of a server", there, url.Values{"scenario": {x.query}, "fault": x.faults})
		}
		check("of its own", opened(t, w, open, x.faults), url.Values{})
	}
}

// TestNoTraces checks why the engine doesn't save a log, and that it goes on.
func TestNoTraces(t *testing.T) {
	w := newInNode(t)
	for query, want := range map[string]string{
		"run=r1-gone&branch=0": "refused.not-kept",
		"":                     "refused.not-kept",
		"run=r1-gone&branch=0&scenario=recipe%3Dherd":                                     "bad.recipe",
		"run=r1-gone&branch=1&scenario=recipe%3Dunique-lock&fault=xyzzy":                  "bad.fault",
		"run=r1-gone&branch=1&scenario=recipe%3Dunique-lock&fault=crash+client-1+at+900s": "bad.fault.late",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if file, _, why := w.saves(q); file != "" || !strings.HasPrefix(why, want) {
			t.Errorf("%s: %d bytes, %s, want %s", query, len(file), why, want)
		}
	}
}
