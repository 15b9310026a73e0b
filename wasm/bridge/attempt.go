//go:build js && wasm

package bridge

import (
	"strconv"

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

// acted counts a fault that the reader has made happen at a challenge. Only now: a live run was taken to its edge for
// it, and what was broken on the way there is not the reader's doing.
func (b *Bridge) acted() {
	if b.atTask {
		b.attempt.Act(b.withoutReader())
	}
}

// withoutReader are the rules whose breaking is not the reader's doing. A lesson's task says which its run breaks by
// itself; of any other run, that is all that the branch breaks on which the reader acts.
func (b *Bridge) withoutReader() (rules []string) {
	if b.address.Lesson != "" {
		return b.broken()
	}
	for _, v := range b.player.Report().Violations {
		rules = append(rules, v.Rule)
	}
	return rules
}

// restarts begins the reader's attempt again, since another run begins. A reader at a challenge acts on the run rather
// than follow its steps: a live one is shown as it goes on.
func (b *Bridge) restarts() {
	b.toEdge = b.toEdge || b.atTask
	if b.attempt != nil {
		b.attempt.Restart()
	}
}

// markAttempt shows the page how the reader's attempt stands.
func (b *Bridge) markAttempt() {
	a := b.attempt
	if a == nil {
		return
	}
	b.page.mark("task", a.Task.String())
	b.page.mark("taskState", string(a.Judge(b.broken(), b.player.Ended())))
	b.page.mark("taskActions", strconv.Itoa(a.Actions()))
}
