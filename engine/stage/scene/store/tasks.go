package store

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
)

// planTasks plans the tasks, each with the letter of its client: open, in progress or done.
func (st *Store) planTasks(s *view.Store, in geom.Rect) {
	var chips [mostChips]chipPlan
	n := 0
	for i := range s.Tasks {
		if t := &s.Tasks[i]; t.Name != "" {
			chips[n] = st.planTask(t)
			n++
		}
	}
	from := st.placeChips(chips[:n], in, s.Open+s.Done)
	for i := range s.Writes {
		w := &s.Writes[i]
		for k := from; k < n; k++ {
			if c := st.f.Client(w.Client); c >= 0 && w.At == s.Tasks[k].At && isAbout(w.Text, s.Tasks[k].Name) {
				st.planArrival(w, c, chips[k].MidX())
			}
		}
	}
}

// isAbout reports whether a write is about the task with that name.
func isAbout(s, name string) bool {
	return len(s) > len(name) && s[:len(name)] == name && s[len(name)] == ' '
}

func (st *Store) planTask(t *view.Task) chipPlan {
	f := st.f
	client := f.Client(t.Worker)
	look, word := asWritten, ""
	switch {
	case t.Done > 1:
		look, word = asWrong, f.Filled("scene.done-times", f.Grouped(t.Done))
	case t.Done == 1:
		look = asDone
	case client < 0:
		look, word = asOpen, f.Phrase("scene.open")
	case f.State.Clients[client].Crashed || f.State.Clients[client].Exited:
		look, word = asOpen, f.Phrase("scene.unfinished")
	}
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
