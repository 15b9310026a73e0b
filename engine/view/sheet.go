package view

import "github.com/zkviz/zkviz/engine/event"

// page puts a page on the sheet that is in the printer, if that is anybody's. A sheet is whose pages are on it, for as
// long as he thinks that he is inside: who leaves takes it away, and one that is left there by somebody who died or has
// learned that his time is over, the next one throws away. Two who think so at the same time share a sheet.
func (s *State) page(t *Store, w *Write) {
	first := t.sheet()
	taken, mixed := false, false
	for i := first; i < KeptWrites; i++ {
		p := &t.Writes[i]
		taken = taken || !p.Refused && s.printing(p)
		mixed = mixed || !p.Refused && p.Client != t.Writes[first].Client
	}
	if t.Pages++; !taken {
		w.Fresh, t.Pages = true, 1
		return
	}
	if !mixed && w.Client != t.Writes[first].Client {
		t.Torn++
	}
}

// sheet is the index among the Writes of the first page on the last sheet, KeptWrites if there is none. Of a sheet
// with more pages than are kept, it is the first that is.
func (t *Store) sheet() int {
	for i := KeptWrites - 1; i >= 0; i-- {
		switch w := &t.Writes[i]; {
		case w.Client == 0:
			return i + 1
		case w.Fresh:
			return i
		}
	}
	return 0
}

// printing reports whether who printed the page still thinks that it is inside, as it did then.
func (s *State) printing(w *Write) bool {
	c := s.Client(w.Client)
	return c != nil && c.Belief.Phase.Inside() && c.Belief.Since == w.Term && !c.Crashed && !c.Exited
}

// Sheet is what is in the printer of a StoreSheet: the pages on its last sheet, refused ones among them, and whether
// more than one client has printed on it.
func (t *Store) Sheet() (pages []Write, torn bool) {
	pages = t.Writes[t.sheet():]
	var first event.Actor
	for i := range pages {
		switch w := &pages[i]; {
		case w.Refused:
		case first == 0:
			first = w.Client
		case w.Client != first:
			torn = true
		}
	}
	return pages, torn
}
