//go:build js && wasm

package bridge

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// setTask sets the challenge that the reader is at: a written challenge.Task, or "" for none. A reader who comes back
// to a challenge continues the attempt.
func (b *Bridge) setTask(text string) bool {
	b.atTask = text != ""
	if !b.atTask || b.attempt != nil && b.attempt.Task.String() == text {
		return true
	}
	task, err := challenge.Parse(text)
	if b.atTask = err == nil; b.atTask {
		b.attempt = &challenge.Attempt{Task: task}
	}
	return b.atTask
}

// retry restarts the attempt, won or not.
func (b *Bridge) retry() bool {
	if b.atTask {
		b.attempt = &challenge.Attempt{Task: b.attempt.Task}
	}
	return b.atTask
}

// forbidden says that the reader's task forbids a fault, or returns "".
func (b *Bridge) forbidden(written string) string {
	if !b.atTask {
		return ""
	}
	switch word := b.attempt.Task.Forbids(written); {
	case word == "":
		return ""
	case strings.HasPrefix(word, "client-"):
		who, _ := FaultOn(written)
		return b.page.panes.Say("challenge.forbidden.client", who.Letter())
	default:
		return b.page.panes.Say("challenge.forbidden.kind", strings.TrimSuffix(b.page.panes.Say("fault."+word), "…"))
	}
}

// acted counts a fault that the reader has injected at a challenge. It runs after a live run has moved to its edge:
// what was broken on the way isn't the reader's doing.
func (b *Bridge) acted() {
	if b.atTask {
		b.attempt.Act(b.withoutReader())
	}
}

// withoutReader returns the rules that are broken without the reader. For a lesson, its task says which ones; for any
// other run, they are those that the branch breaks before the reader's fault.
func (b *Bridge) withoutReader() []string {
	if b.address.Lesson != "" {
		return rules(b.deeds(b.broken()))
	}
	return rules(b.player.Report().Violations)
}

// restarts restarts the reader's attempt because another run begins. At a challenge a live run is followed at its edge,
// since the reader acts on it instead of following its steps.
func (b *Bridge) restarts() {
	b.toEdge = b.toEdge || b.atTask
	if b.attempt != nil {
		b.attempt.Restart()
	}
}

// Judge checks whether the reader's attempt is won. If so, the picture stops at the deciding event, and the client
// whose act it was is selected.
func (b *Bridge) Judge() {
	a := b.attempt
	if a == nil || !b.atTask || a.Won() {
		return
	}
	deeds := b.deeds(b.broken())
	if b.judged(deeds) != challenge.Done {
		return
	}
	if i, ok := a.Wins(rules(deeds)); ok {
		v := deeds[i]
		b.player.Show(v.At, v.Seq)
		if len(v.Clients) > 0 {
			b.player.Select("client-" + strconv.Itoa(int(v.Clients[0])))
		}
	}
}

func (b *Bridge) judged(deeds []check.Violation) challenge.State {
	return b.attempt.Judge(rules(deeds), b.faults(), b.player.Ended())
}

// faults returns the faults that lead to the branch that is shown.
func (b *Bridge) faults() []string { return faultsOf(b.player.Branches(), b.player.Branch()) }

// broken returns the violations so far, in the order of the log.
func (b *Bridge) broken() (broken []check.Violation) {
	for _, v := range b.player.Report().Violations {
		if v.Seq <= b.player.Seq() {
			broken = append(broken, v)
		}
	}
	return broken
}

// deeds returns the violations, and each accomplishment of the feat that the task asks for.
func (b *Bridge) deeds(broken []check.Violation) []check.Violation {
	history := b.player.History()
	if feat := b.attempt.Task.Rule; history != nil && challenge.IsFeat(feat) {
		for _, f := range challenge.Feats(history) {
			if f.Name == feat && f.Seq <= b.player.Seq() {
				broken = append(broken, check.Violation{Rule: f.Name, At: f.At, Seq: f.Seq, Clients: []event.Actor{f.Client}})
			}
		}
	}
	return broken
}

func rules(broken []check.Violation) (names []string) {
	for _, v := range broken {
		names = append(names, v.Rule)
	}
	return names
}

// markAttempt shows the state of the reader's attempt on the page.
func (b *Bridge) markAttempt(broken []check.Violation) {
	a := b.attempt
	if a == nil {
		return
	}
	state := b.judged(b.deeds(broken))
	b.page.mark("task", a.Task.String())
	b.page.mark("taskWhy", b.why(state))
	b.page.mark("taskLevel", string(a.Level()))
	b.page.mark("taskActions", strconv.Itoa(a.Actions()))
	b.page.mark("taskState", string(state))
}

// why says what the last fault will cause, or why it couldn't, or returns "".
func (b *Bridge) why(state challenge.State) string {
	faults, history := b.faults(), b.player.History()
	if history == nil {
		return ""
	}
	if len(faults) == 0 {
		if state == challenge.Held {
			return b.page.panes.Says(b.attempt.Task.Why(history, fault.Fault{}))
		}
		return ""
	}
	f, err := fault.Parse(faults[len(faults)-1])
	switch {
	case err != nil:
		return ""
	case state == challenge.Acted:
		if c := b.player.State().Client(event.Actor(f.Client)); c != nil {
			return b.page.panes.Says(challenge.Awaits(f, c.Timeout, where(b.player.State())))
		}
	case state == challenge.Held, state == challenge.Other && !b.attempt.Task.Mend:
		return b.page.panes.Says(b.attempt.Task.Why(history, f))
	}
	return ""
}
