package view

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// KeptTasks is how many tasks of a StoreTasks are in sight.
const KeptTasks = 12

// Task is a task as a StoreTasks knows it.
type Task struct {
	_      Incomparable
	Name   string
	Worker event.Actor // who took or did it last, 0 for nobody
	Before event.Actor // another client: as long as it isn't done, who took it before; then who did it first; or 0
	Done   int         // how often it was done
	Taken  int         // how often it was taken
	At     time.Duration
}

// task records what happened to a task, and reports whether it was done for a second time.
func (t *Store) task(w *Write) bool {
	name, what, _ := cutLast(w.Text, " ")
	if name == "" {
		return false
	}
	x := t.known(name)
	x.At = w.At
	switch what {
	case event.TaskTaken:
		x.passTo(w.Client)
		x.Taken++
	case event.TaskDone:
		if x.passTo(w.Client); x.Done == 0 {
			x.Before = 0
			t.Open--
			t.Done++
		}
		x.Done++
		return x.Done > 1
	}
	return false
}

// passTo makes the client the last to take or do the task.
func (x *Task) passTo(a event.Actor) {
	if a != x.Worker && (x.Done == 0 || x.Before == 0) {
		x.Before = x.Worker
	}
	x.Worker = a
}

// known returns the task of that name. If the task isn't in sight, it replaces the oldest one that was done once,
// or else the oldest.
func (t *Store) known(name string) *Task {
	out := -1
	for i := range t.Tasks {
		switch x := &t.Tasks[i]; {
		case x.Name == name:
			return x
		case x.Name == "":
			x.Name = name
			t.Open++
			return x
		case out < 0 && x.Done == 1:
			out = i
		}
	}
	copy(t.Tasks[max(out, 0):], t.Tasks[max(out, 0)+1:])
	t.Tasks[KeptTasks-1] = Task{Name: name}
	t.Open++
	return &t.Tasks[KeptTasks-1]
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
