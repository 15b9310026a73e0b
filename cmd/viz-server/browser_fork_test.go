package main

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/run"
)

// whatIf opens an incident's trace, asks "what if", and runs it in the Lab: the same clients, with the pause.
func whatIf(t *testing.T, b *browser) {
	s := run.Scenario{Recipe: "children-lock", Clients: 3, Hold: time.Second,
		Faults: []fault.Fault{{Kind: fault.Crash, Client: 1, At: 500 * time.Millisecond}}}.WithDefaults()
	v := visit(t, b.ctx, b.url, desktop)
	v.open("/lab")
	v.wait("stage", "ready")
	text := simulated(t, s)
	open := func() { v.openTrace("incident.jsonl", text) }
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
	v.until("what it is taken for", func() bool {
		return strings.Contains(v.text("#fork-said"), "is taken for a lock, by names like those of zkviz")
	})
	v.compared("as many sessions expire while they hold it: 1.")
	if said := v.text("#fork-compared"); strings.Contains(said, "Only") {
		t.Errorf("it says %q, though all of it is compared", said)
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

// simulated returns the trace of a scenario.
func simulated(t *testing.T, s run.Scenario) string {
	t.Helper()
	var text bytes.Buffer
	w := trace.NewWriter(&text, s.Header(event.Simulated))
	if err := run.Sim(t.Context(), s, w); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// whatIfOfMuch asks "what if" about more than fits into a link. The page says that it compares only what fits.
func whatIfOfMuch(t *testing.T, b *browser) {
	v := visit(t, b.ctx, b.url, desktop)
	v.open("/lab")
	v.wait("stage", "ready")
	v.openTrace("crowd.jsonl", simulated(t, run.Scenario{Recipe: "unique-lock", Clients: 90,
		Hold: 300 * time.Millisecond}.WithDefaults()))
	v.wait("ended", "true")
	v.says("document.querySelector('[data-do=fork]').click()")
	v.compared("Played again, it ")
	v.compared("Only what fits into a link is compared: what's near the moment that is shown.")
	v.shoot("what-if-much")
}

// openTrace opens a file in place of the current run.
func (v *visitor) openTrace(name, text string) {
	v.t.Helper()
	v.says("(() => { const files = new DataTransfer(); files.items.add(new File([" + strconv.Quote(text) + "], " +
		strconv.Quote(name) + ")); const input = document.getElementById('open-file'); input.files = files.files; " +
		"input.dispatchEvent(new Event('change')); })()")
	v.wait("file", "other")
}

// compared waits until the dialog describes the replay in these words.
func (v *visitor) compared(want string) {
	v.t.Helper()
	v.until("said first: "+want, func() bool { return strings.Contains(v.text("#fork-compared"), want) })
}

// whatIfAtNight asks "what if" about a recording in which two sessions expired while they held a lock. The dialog
// first says that they expire again. If the replay fails, it says so.
func whatIfAtNight(t *testing.T, b *browser) {
	script, err := os.ReadFile("testdata/script/fork_night.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, night, _ := strings.Cut(string(script), "-- night.trace --\n")
	noisy := desktop
	noisy.noisy = true // one page is not found
	v := visit(t, b.ctx, b.url, noisy)
	v.open("/lab")
	v.wait("stage", "ready")
	v.openTrace("night.trace", night)
	v.wait("ended", "true")
	v.says("document.querySelector('[data-do=fork]').click()")
	v.compared("Played again, it goes as it was seen: the same clients get it 36 times in the same order, and " +
		"as many sessions expire while they hold it: 2.")
	if first := v.says("document.querySelector('#fork h2').nextElementSibling.id"); first != "fork-compared" {
		t.Errorf("the first thing that is said is #%s", first)
	}
	v.shoot("what-if")
	v.resize(upright)
	v.says("document.querySelector('button[data-tab=log]').click()") // the dialog is below it
	v.shoot("what-if-upright")
	v.resize(desktop)
	v.says("document.getElementById('fork').close(), document.getElementById('fork').dataset.from = '/nowhere'")
	v.says("document.querySelector('[data-do=fork]').click()")
	v.compared("It couldn't be played, so it isn't compared with what was seen: ")
	v.says("document.getElementById('fork').close(), document.getElementById('fork').dataset.from = '/api/fork', " +
		"document.getElementById('fork').setAttribute('data-lock', 'unique-lock')")
	v.says("document.querySelector('[data-do=fork]').click()")
	v.compared("Played again, it differs: ")
}
