package view

import "github.com/zkviz/zkviz/engine/event"

// Halves are those of a StoreDocument, or of a copy of it.
type Halves [2]Half

// Half is one of them: of which version it is, from 1, and who wrote that. Before the first version it is zero.
type Half struct {
	Writer  event.Actor
	Version int
}

// Torn reports whether they are of different versions.
func (h Halves) Torn() bool { return h[0] != h[1] }

// document notes that a half was written or a copy taken. A version that its writer left unfinished, who died or has
// learned that its time is over, is thrown away by the next one to come. Torn are copies, and a document of which all
// have finished what they were writing.
func (s *State) document(t *Store, w *Write) {
	if d := &t.Draft; d.Client != 0 && !d.together(w) && !s.printing(d) {
		t.Halves[0], t.Draft = t.Halves[1], Write{}
	}
	switch w.Text {
	case event.FirstHalf:
		t.Versions++
		t.Halves[0] = Half{w.Client, t.Versions}
	case event.SecondHalf:
		t.Halves[1] = t.begun(w)
		if t.Draft.together(w) {
			t.Draft = Write{}
		}
	case event.ACopy:
	default:
		return
	}
	w.Halves = t.Halves
	if w.Text == event.FirstHalf {
		t.Draft = *w
	}
	if w.Halves.Torn() && (w.Text == event.ACopy || t.Draft.Client == 0) {
		t.Torn++
	}
	t.forget(w.Client)
}

// together reports whether a client made both writes while it was inside once.
func (w *Write) together(o *Write) bool { return w.Client == o.Client && w.Term == o.Term }

// begun is the half that w belongs to: the first one that its client wrote, which may have been written over since.
func (t *Store) begun(w *Write) Half {
	if t.Draft.together(w) {
		return t.Draft.Halves[0]
	}
	for i := range t.Writes {
		if p := &t.Writes[i]; p.together(w) && p.Text == event.FirstHalf && !p.Refused {
			return p.Halves[0]
		}
	}
	t.Versions++
	return Half{w.Client, t.Versions}
}
