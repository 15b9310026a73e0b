package protocol

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
)

// Verdict says what a branch's log shows of the promises and of the feats that challenges ask for. It may come in
// parts, and a later one tells only what has changed.
type Verdict struct {
	Branch int
	// Events is how many events of the branch it covers; 0 if another part follows.
	Events event.Seq
	From   int // Deeds replaces all deeds from this one on
	// Deeds lists broken rules, and feats: of these, Rule is the name. They are in the order of their events.
	Deeds    []promise.Violation
	Unjudged []string // as in promise.Verdict
}

func (*Verdict) say() string { return "verdict" }

func (m *Verdict) fields(f field) {
	f("branch", always, &m.Branch)
	f("events", always, &m.Events)
	f("from", unlessZero, &m.From)
	f("deeds", always, &m.Deeds)
	f("unjudged", unlessZero, &m.Unjudged)
}

// deed is a broken rule or a feat as an object.
type deed promise.Violation

func (d *deed) fields(f field) {
	f("rule", always, &d.Rule)
	f("at_ms", always, &d.At)
	f("seq", always, &d.Seq)
	f("clients", always, &d.Clients)
	f("how", unlessZero, &d.How)
	f("why", unlessZero, &d.Sentence)
}

// Part returns the beginning of m as a message of its own: as many deeds as fit into a frame, but at least one.
func (m *Verdict) Part() Verdict {
	const most = MaxFrame - 1<<10
	var text []byte
	size := 0
	for i := range m.Deeds {
		text = append(appendObject(text[:0], (*deed)(&m.Deeds[i])), ',')
		if size += len(text); size > most && i > 0 {
			return Verdict{Branch: m.Branch, From: m.From, Deeds: m.Deeds[:i]}
		}
	}
	return *m
}

// Judged reports whether viewers get verdicts on logs with this header: those of recipes, and of other systems that
// promise something.
func Judged(h event.Header) bool { return h.Host.Traits().Recipe || len(h.Rules()) > 0 }
