package store

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
)

// mostTaskChips is the maximum number of chips for tasks.
const mostTaskChips = 2*view.KeptTasks + view.KeptWrites

// planTasks plans the tasks, each with the letter of its client: open, in progress or done. Before it stands the client
// that had taken it and left it undone, or that did it first. If that takes too much room, it's said in fewer words.
func (st *Store) planTasks(s *view.Store, in geom.Rect) {
	var chips [mostTaskChips]chipPlan
	var of [mostTaskChips]*view.Task
	n, more := st.taskChips(s, &chips, &of, false)
	width := func(i int) float64 { return chips[i].W }
	if wide, _ := st.needs(n, n, width, st.chipGap(), in); more > 0 && wide > in.W {
		n, more = st.taskChips(s, &chips, &of, true)
	}
	all := s.Open + s.Done + more
	n = st.dropDone(&chips, &of, n, all, in)
	from := st.placeChips(chips[:n], in, all)
	for i := range s.Writes {
		w := &s.Writes[i]
		for k := from; k < n; k++ {
			if c := st.f.Client(w.Client); c >= 0 && c == chips[k].client && w.At == of[k].At && isAbout(w.Text, of[k].Name) {
				st.planArrival(w, c, chips[k].MidX())
			}
		}
	}
}

// dropDone takes the oldest chips of finished tasks out until the others fit, and returns how many are left: what is
// open or wrong stays in sight.
func (st *Store) dropDone(
	chips *[mostTaskChips]chipPlan, of *[mostTaskChips]*view.Task, n, all int, in geom.Rect,
) int {
	gap := st.chipGap()
	wide, sign := st.needs(n, all, func(i int) float64 { return chips[i].W }, gap, in)
	for i := 0; i < n && wide > in.W-sign; i++ {
		if chips[i].look != asDone || i+1 < n && of[i+1] == of[i] { // the second time says "again"
			continue
		}
		wide -= chips[i].W + gap
		copy(chips[i:], chips[i+1:n])
		copy(of[i:], of[i+1:n])
		n, i = n-1, i-1
	}
	return n
}

// taskChips fills the chips and the tasks that they are of. It returns their number, and how many of them are of a
// client before.
func (st *Store) taskChips(
	s *view.Store, chips *[mostTaskChips]chipPlan, of *[mostTaskChips]*view.Task, brief bool,
) (n, more int) {
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.Name == "" {
			continue
		}
		shared := st.hadBefore(t)
		if shared {
			chips[n], of[n] = st.planBefore(t, brief), t
			n++
			more++
		}
		if t.Done > 2 && shared && !brief && st.doers(s, t, nil) == t.Done {
			st.doers(s, t, func(client int) {
				chips[n], of[n] = st.taskChip(t, asWrong, client, st.f.Phrase("scene.again")), t
				n++
				more++
			})
			more--
			continue
		}
		chips[n], of[n] = st.planTask(t, brief && shared && t.Done > 1), t
		n++
	}
	return n, more
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
func (st *Store) planBefore(t *view.Task, brief bool) chipPlan {
	client := st.f.Client(t.Before)
	switch {
	case t.Done > 0:
		return st.taskChip(t, asDone, client, "")
	case brief:
		return st.taskChip(t, asOpen, client, "")
	}
	return st.taskChip(t, asOpen, client, st.f.Phrase("scene.unfinished"))
}

func (st *Store) planTask(t *view.Task, brief bool) chipPlan {
	f := st.f
	client := f.Client(t.Worker)
	shared := st.hadBefore(t)
	switch {
	case brief && t.Done == 2: // its name stands before it
		return st.chip(asWrong, client, f.Phrase("scene.again"))
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
	return st.taskChip(t, asWritten, client, "")
}

// taskChip returns the chip of a task, with a word about it.
func (st *Store) taskChip(t *view.Task, look chipLook, client int, word string) chipPlan {
	f := st.f
	if n := event.Number(t.Name); n >= 0 {
		f.Num(n)
	} else {
		f.Tidied(t.Name[:min(len(t.Name), 24)])
	}
	if word != "" {
		f.Say(" · ", word)
	}
	c := st.chip(look, client, f.Label())
	if look == asDone {
		a, _ := st.chipFaces()
		c.mark.R = a.Size * 0.4
		c.W += 2*c.mark.R + max(3, 5*f.Sizes.K)
	}
	return c
}
