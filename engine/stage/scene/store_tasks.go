package scene

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// planTasks plans the tasks, each with the letter of its client: open, in progress or done.
func (st *store) planTasks(s *view.Store, in rect) {
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
			if c := st.client(w.Client); c >= 0 && w.At == s.Tasks[k].At && isAbout(w.Text, s.Tasks[k].Name) {
				st.planArrival(w, c, chips[k].midX())
			}
		}
	}
}

// isAbout reports whether a write is about the task with that name.
func isAbout(text, name string) bool {
	return len(text) > len(name) && text[:len(name)] == name && text[len(name)] == ' '
}

func (st *store) planTask(t *view.Task) chipPlan {
	client := st.client(t.Worker)
	look, word := asWritten, ""
	switch {
	case t.Done > 1:
		look, word = asWrong, "scene.done-twice"
	case t.Done == 1:
		look = asDone
	case client < 0:
		look, word = asOpen, "scene.open"
	case st.s.Clients[client].Crashed || st.s.Clients[client].Exited:
		look, word = asOpen, "scene.unfinished"
	}
	if word != "" {
		word = st.phrase(word)
	}
	if n := event.Number(t.Name); n >= 0 {
		st.num(n)
	} else {
		st.tidied(t.Name[:min(len(t.Name), 24)])
	}
	if word != "" {
		st.say(" · ", word)
	}
	c := st.chip(look, client, st.label())
	if look == asDone {
		a, _ := st.chipFaces()
		c.mark.r = a.size * 0.4
		c.w += 2*c.mark.r + max(3, 5*st.m.k)
	}
	return c
}
