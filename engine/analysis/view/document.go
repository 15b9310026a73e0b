package view

import "github.com/zkviz/zkviz/engine/event"

// Halves are the two halves of a StoreDocument, or of a copy of it.
type Halves [2]Half

// Half is one half of a document: its version, from 1, and the version's writer. Before the first version it is zero.
type Half struct {
	Writer  event.Actor
	Version int
}

// Torn reports whether the two halves have different versions.
func (h Halves) Torn() bool { return h[0] != h[1] }

// document records that a client wrote a half or took a copy. If a writer crashed, or learned that it no longer
// holds the lock, the next client throws its unfinished version away. Copies can be torn, and so can the document
// once everybody has finished writing.
func (t *Store) document(w *Write, clients Clients) {
	if d := &t.Draft; d.Client != 0 && !d.together(w) && !clients.printing(d) {
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

// together reports whether one client made both writes during the same stay inside.
func (w *Write) together(o *Write) bool { return w.Client == o.Client && w.Term == o.Term }

// begun returns the half that w completes: the first half that its client wrote. It may have been overwritten since.
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
