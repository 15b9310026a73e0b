package scene

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// planTasks plans the tasks, each with the letter of its client: open, in progress or done.
func (l *Layout) planTasks(s *view.Store, in rect) {
	var chips [mostChips]chipPlan
	n := 0
	for i := range s.Tasks {
		if t := &s.Tasks[i]; t.Name != "" {
			chips[n] = l.planTask(t)
			n++
		}
	}
	from := l.placeChips(chips[:n], in, s.Open+s.Done)
	for i := range s.Writes {
		w := &s.Writes[i]
		for k := from; k < n; k++ {
			if c := l.client(w.Client); c >= 0 && w.At == s.Tasks[k].At && isAbout(w.Text, s.Tasks[k].Name) {
				l.planArrival(w, c, chips[k].midX())
			}
		}
	}
}

// isAbout reports whether a write is about the task with that name.
func isAbout(text, name string) bool {
	return len(text) > len(name) && text[:len(name)] == name && text[len(name)] == ' '
}

func (l *Layout) planTask(t *view.Task) chipPlan {
	client := l.client(t.Worker)
	look, word := asWritten, ""
	switch {
	case t.Done > 1:
		look, word = asWrong, "scene.done-twice"
	case t.Done == 1:
		look = asDone
	case client < 0:
		look, word = asOpen, "scene.open"
	case l.s.Clients[client].Crashed || l.s.Clients[client].Exited:
		look, word = asOpen, "scene.unfinished"
	}
	if word != "" {
		word = l.phrase(word)
	}
	if n := event.Number(t.Name); n >= 0 {
		l.num(n)
	} else {
		l.buf = clean(l.buf, t.Name[:min(len(t.Name), 24)])
	}
	if word != "" {
		l.say(" · ", word)
	}
	c := l.chip(look, client, l.label())
	if look == asDone {
		a, _ := l.chipFaces()
		c.mark.r = a.size * 0.4
		c.w += 2*c.mark.r + max(3, 5*l.m.k)
	}
	return c
}
