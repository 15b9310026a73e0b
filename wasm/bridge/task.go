//go:build js && wasm

package bridge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// task is the challenge that the reader is at, if any, and the attempt at the last one.
type task struct {
	player  *player.Player
	page    *page
	at      bool
	attempt *challenge.Attempt // nil before the first
}

// set sets the challenge that the reader is at: a written challenge.Task, or "" for none. A reader who comes back
// to a challenge continues the attempt.
func (t *task) set(text string) bool {
	t.at = text != ""
	if !t.at || t.attempt != nil && t.attempt.Task.String() == text {
		return true
	}
	task, err := challenge.Parse(text)
	if t.at = err == nil; t.at {
		t.attempt = &challenge.Attempt{Task: task}
	}
	return t.at
}

// retry restarts the attempt, won or not.
func (t *task) retry() bool {
	if t.at {
		t.attempt = &challenge.Attempt{Task: t.attempt.Task}
	}
	return t.at
}

// forbidden says that the reader's task forbids a fault, or returns "".
func (t *task) forbidden(written string) string {
	if !t.at {
		return ""
	}
	switch word := t.attempt.Task.Forbids(written); {
	case word == "":
		return ""
	case strings.HasPrefix(word, "client-"):
		who, _ := FaultOn(written)
		return t.page.panes.Say("challenge.forbidden.client", who.Letter())
	default:
		return t.page.panes.Say("challenge.forbidden.kind", strings.TrimSuffix(t.page.panes.Say("fault."+word), "…"))
	}
}

// acted counts a fault that the reader has injected at a challenge. It runs after a live run has moved to its edge:
// what was broken on the way isn't the reader's doing.
func (t *task) acted() {
	if t.at {
		t.attempt.Act(t.withoutReader())
	}
}

// undo takes back what acted counted: the fault was refused.
func (t *task) undo() {
	if t.attempt != nil {
		t.attempt.Undo()
	}
}

// withoutReader returns the rules that are broken without the reader. For a lesson, its task says which ones; for any
// other run, they are those that the branch breaks before the reader's fault.
func (t *task) withoutReader() []string {
	if t.player.Log.Run().Lesson {
		return rules(t.deeds())
	}
	return rules(t.player.Log.Shown().Verdict().Violations)
}

// restart restarts the reader's attempt because another run begins.
func (t *task) restart() {
	if t.attempt != nil {
		t.attempt.Restart()
	}
}

// judge checks whether the reader's attempt is won. If so, the picture stops at the damage, and whose act it was is
// selected; or where somebody gets in as it should be.
func (t *task) judge() {
	a := t.attempt
	if a == nil || !t.at || a.Won() {
		return
	}
	deeds := t.shown()
	if t.state(deeds) != challenge.Done {
		return
	}
	history, last := t.player.Log.Shown().History(), t.lastFault()
	if a.Task.Mend {
		if seq, ok := challenge.Relief(history, last); ok {
			t.show(seq)
		}
	} else if i, ok := a.Wins(rules(deeds)); ok {
		v := deeds[i]
		seq, _ := challenge.Consequence(history, v.Seq, last)
		t.show(seq)
		if len(v.Clients) > 0 {
			t.player.Select(v.Clients[0].String())
		}
	}
}

// show stops the picture at an event.
func (t *task) show(seq event.Seq) {
	if e, ok := t.player.Log.Shown().History().Lookup(seq); ok {
		t.player.Show(e.At, seq)
	}
}

func (t *task) state(deeds []promise.Violation) challenge.State {
	return t.attempt.Judge(rules(deeds), t.faults(), t.player.Ended() && t.player.Log.Shown().Judged())
}

// faults returns the faults that lead to the branch that is shown.
func (t *task) faults() []string { return faultsOf(t.player.Log.Branches(), t.player.Log.Branch()) }

// deeds returns the violations so far, and each accomplishment of the feat that the task asks for.
func (t *task) deeds() []promise.Violation {
	return upTo(t.player.Head.Seq(), t.player.Log.Shown().Deeds(t.attempt.Task.Rule))
}

// shown returns the deeds without those of the task whose consequence is yet to be seen.
func (t *task) shown() []promise.Violation {
	deeds, history := t.deeds(), t.player.Log.Shown().History()
	if history == nil || t.attempt.Won() {
		return deeds
	}
	last := t.lastFault()
	return slices.DeleteFunc(deeds, func(d promise.Violation) bool {
		if d.Rule != t.attempt.Task.Rule {
			return false
		}
		seq, ok := challenge.Consequence(history, d.Seq, last)
		return seq > t.player.Head.Seq() || !ok && !t.player.Ended()
	})
}

// lastFault returns the last fault that leads to the branch that is shown, the zero Fault if there is none.
func (t *task) lastFault() fault.Fault {
	faults := t.faults()
	if len(faults) == 0 {
		return fault.Fault{}
	}
	f, err := fault.Parse(faults[len(faults)-1])
	if err != nil {
		return fault.Fault{}
	}
	return f
}

// upTo returns those at events up to seq.
func upTo(seq event.Seq, deeds []promise.Violation) (done []promise.Violation) {
	for _, d := range deeds {
		if d.Seq <= seq {
			done = append(done, d)
		}
	}
	return done
}

func rules(broken []promise.Violation) (names []string) {
	for _, v := range broken {
		names = append(names, v.Rule)
	}
	return names
}

// mark shows the state of the reader's attempt on the page.
func (t *task) mark() {
	a := t.attempt
	if a == nil {
		return
	}
	state := t.state(t.shown())
	t.page.mark("task", a.Task.String())
	t.page.mark("taskWhy", t.why(state))
	t.page.mark("taskLevel", string(a.Level()))
	t.page.mark("taskActions", strconv.Itoa(a.Actions()))
	t.page.mark("taskState", string(state))
}

// why says what the last fault will cause, or why it couldn't, or returns "".
func (t *task) why(state challenge.State) string {
	f, history := t.lastFault(), t.player.Log.Shown().History()
	switch {
	case history == nil:
	case state == challenge.Acted && f.Kind != 0:
		if c := t.player.State().Clients.Get(event.Actor(f.Client)); c != nil {
			return t.page.panes.Says(challenge.Awaits(f, c.Timeout, where(t.player.State())))
		}
	case state == challenge.Held:
		return t.page.panes.Says(t.attempt.Task.Why(history, f))
	}
	return ""
}
