//go:build js && wasm

package bridge

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/check"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/lessons/challenge"
)

// setTask says at which challenge the reader is: a written challenge.Task, or empty for none. Anyone who leaves a
// challenge and comes back to it goes on with it.
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

// retry begins the attempt anew, won or not.
func (b *Bridge) retry() bool {
	if b.atTask {
		b.attempt = &challenge.Attempt{Task: b.attempt.Task}
	}
	return b.atTask
}

// forbidden says that the reader's task forbids a fault, empty if it does not.
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

// acted counts a fault that the reader has made happen at a challenge. Only now: a live run was taken to its edge for
// it, and what was broken on the way there is not the reader's doing.
func (b *Bridge) acted() {
	if b.atTask {
		b.attempt.Act(b.withoutReader())
	}
}

// withoutReader are the rules whose breaking is not the reader's doing. A lesson's task says which its run breaks by
// itself; of any other run, that is all that the branch breaks on which the reader acts.
func (b *Bridge) withoutReader() []string {
	if b.address.Lesson != "" {
		return rules(b.deeds(b.broken()))
	}
	return rules(b.player.Report().Violations)
}

// restarts begins the reader's attempt again, since another run begins. A reader at a challenge acts on the run rather
// than follow its steps: a live one is shown as it goes on.
func (b *Bridge) restarts() {
	b.toEdge = b.toEdge || b.atTask
	if b.attempt != nil {
		b.attempt.Restart()
	}
}

// Judge sees whether the reader's attempt is won by now. Then the picture stops at the event that has won it, with the
// client selected whose act that was.
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

// faults are those that lead to what is shown.
func (b *Bridge) faults() []string { return faultsOf(b.player.Branches(), b.player.Branch()) }

// broken are the promises that have been broken by now, in the order of the log.
func (b *Bridge) broken() (broken []check.Violation) {
	for _, v := range b.player.Report().Violations {
		if v.Seq <= b.player.Seq() {
			broken = append(broken, v)
		}
	}
	return broken
}

// deeds are the promises that have been broken, and how often the feat that the task asks for has been brought about.
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

// markAttempt shows the page how the reader's attempt stands.
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

// why says what the last fault is to bring about, or why it could not; empty if there is nothing to say.
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
