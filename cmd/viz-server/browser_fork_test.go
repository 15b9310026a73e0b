package main

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/run"
)

// whatIf opens a trace of an incident, asks what if, and runs it in the lab: the same clients, with the pause.
func whatIf(t *testing.T, b *browser) {
	s := run.Scenario{Recipe: "children-lock", Clients: 3, Hold: time.Second,
		Faults: []fault.Fault{{Kind: fault.Crash, Client: 1, At: 500 * time.Millisecond}}}.WithDefaults()
	var text bytes.Buffer
	w := trace.NewWriter(&text, s.Header(event.Simulated))
	if err := run.Sim(t.Context(), s, w); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	v := visit(t, b.ctx, b.url, desktop)
	v.open("/lab")
	v.wait("stage", "ready")
	open := func() {
		v.says("(() => { const files = new DataTransfer(); files.items.add(new File([" + strconv.Quote(text.String()) +
			"], 'incident.jsonl')); const input = document.getElementById('open-file'); input.files = files.files; " +
			"input.dispatchEvent(new Event('change')); })()")
		v.wait("file", "other")
	}
	open()
	v.wait("ended", "true")
	heading := func(is string) {
		t.Helper()
		v.until("the heading "+is, func() bool { return v.text("main h1") == is })
	}
	heading("The file incident.jsonl")
	v.click("#open-close")
	heading("predecessor-lock")
	open()
	heading("The file incident.jsonl")
	v.wait("ended", "true")
	v.says("document.querySelector('[data-do=fork]').click()")
	if said := v.text("#fork-said"); !strings.Contains(said, "is taken for a lock, by the names that zkviz gives") {
		t.Errorf("it says %q", said)
	}
	v.click("#fork-go")
	v.until("the lab", func() bool { return v.says("document.querySelector('#title')?.innerText") == "predecessor-lock" })
	v.wait("stage", "ready")
	if q := v.says("location.search"); !strings.Contains(q, "arrival=client-3") || !strings.Contains(q, "crash+client-1") {
		t.Errorf("the lab runs %s", q)
	}
	if n := v.count("[name=arrival]"); n != 4 {
		t.Errorf("the form says of %d clients when they come, one of them nobody", n)
	}
}
