package store

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// taskChips adds the chips of the tasks, each with the letter of its client: open, in progress or done. Before it
// stands the client that had taken it and left it undone, or that did it first. It returns the number of all chips.
func (st *Store) taskChips(s *view.Store) (all int) {
	p := &st.plan
	all = s.Open + s.Done
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.Name == "" {
			continue
		}
		shared := st.hadBefore(t)
		if shared {
			p.chips = append(p.chips, st.planBefore(t))
			all++
		}
		if t.Done > 2 && shared && st.brief < briefShared && st.doers(s, t, nil) == t.Done {
			st.doers(s, t, func(client int) {
				p.chips = append(p.chips, st.taskChip(t, asWrong, client, st.f.Phrase("scene.again")))
				all++
			})
			all--
			continue
		}
		p.chips = append(p.chips, st.planTask(t, shared))
	}
	return all
}

// doers counts how often the last writes say that a task was done, and calls each for those who did it again.
func (st *Store) doers(s *view.Store, t *view.Task, each func(client int)) (n int) {
	for i := range s.Writes {
		w := &s.Writes[i]
		if c := st.f.Client(w.Client); c >= 0 && w.Text == t.Name+" "+event.TaskDone {
			if n++; n > 1 && each != nil {
				each(c)
			}
		}
	}
	return n
}

// isAbout reports whether a write is about the task with that name.
func isAbout(s, name string) bool {
	return len(s) > len(name) && s[:len(name)] == name && s[len(name)] == ' '
}

// hadBefore reports whether another client's part in a task is to be seen: it has done the task, or it had taken it and
// can't go on.
func (st *Store) hadBefore(t *view.Task) bool {
	c := st.f.Client(t.Before)
	return c >= 0 && t.Before != t.Worker && (t.Done > 0 || st.stopped(c))
}

// stopped reports whether a client's process has ended.
func (st *Store) stopped(client int) bool {
	c := &st.f.State.Clients[client]
	return c.Crashed || c.Exited
}

// planBefore plans the part of the client before.
func (st *Store) planBefore(t *view.Task) chipPlan {
	client := st.f.Client(t.Before)
	if t.Done == 0 {
		return st.taskChip(t, asOpen, client, st.f.Phrase("scene.unfinished"))
	}
	c := st.taskChip(t, asDone, client, "")
	if st.brief == briefText { // its name stands behind it
		c.sayAs(st.chip(asDone, client, "", ""))
	}
	c.rank = wanted
	return c
}

func (st *Store) planTask(t *view.Task, shared bool) chipPlan {
	f := st.f
	client := f.Client(t.Worker)
	switch {
	case (st.brief == briefShared || st.brief == briefLook) && t.Done == 2 && shared: // its name stands before it
		word := f.Phrase("scene.again")
		c, again := st.taskChip(t, asWrong, client, word), st.chip(asWrong, client, word, "")
		if again.W < c.W {
			c.sayAs(again)
		}
		return c
	case t.Done == 2 && shared:
		return st.taskChip(t, asWrong, client, f.Phrase("scene.again"))
	case t.Done > 2 && shared:
		return st.taskChip(t, asWrong, client, f.Filled("scene.times-in-all", f.Grouped(t.Done)))
	case t.Done > 1:
		return st.taskChip(t, asWrong, client, f.Filled("scene.done-times", f.Grouped(t.Done)))
	case t.Done == 1 && !shared:
		return st.taskChip(t, asDone, client, "")
	case client < 0:
		return st.taskChip(t, asOpen, client, f.Phrase("scene.open"))
	case st.stopped(client):
		return st.taskChip(t, asOpen, client, f.Phrase("scene.unfinished"))
	}
	c := st.taskChip(t, asWritten, client, "")
	c.rank = wanted
	return c
}

// taskChip returns the chip of a task, with a word about it.
func (st *Store) taskChip(t *view.Task, look chipLook, client int, word string) chipPlan {
	f := st.f
	if n := event.Number(t.Name); n >= 0 {
		f.Num(n)
	} else {
		f.Tidied(t.Name[:min(len(t.Name), 24)])
	}
	c := st.chip(look, client, f.Label(), word)
	s := &f.State.Stores[0]
	for i := range s.Writes {
		if w := &s.Writes[i]; f.Client(w.Client) == client && w.At == t.At && isAbout(w.Text, t.Name) {
			c.write = w
		}
	}
	return c
}
