package view

import "github.com/zkviz/zkviz/engine/event"

// maxTrays bounds the trays of a StoreSheet: of more, there would not be a page of each in sight.
const maxTrays = KeptWrites / 2

// HasTrays is how many sheets of a StoreSheet may be in the making at a time.
func (t *Store) HasTrays() int { return min(max(t.Trays, 1), maxTrays) }

// page puts a page on a sheet: on that of its client, on a free tray, or, if there is none, on the sheet that was begun
// first. A sheet belongs to those whose pages are on it, for as long as they think that they are inside. Clients that
// leave take it away; one that is left there by somebody who died, or has learned that his time is over, the next one
// throws away. If more think so at the same time than there are trays, they share a sheet.
func (s *State) page(t *Store, w *Write) {
	free, shared, began := -1, 0, KeptWrites
	for tray := range t.HasTrays() {
		first := t.sheet(tray)
		switch taken, own := s.lies(t, tray, first, w); {
		case own:
			w.Tray = tray
			t.Pages[tray]++
			return
		case !taken && free < 0:
			free = tray
		case taken && first < began:
			shared, began = tray, first
		}
	}
	if free >= 0 {
		w.Tray, w.Fresh = free, true
		t.Pages[free] = 1
		return
	}
	w.Tray = shared
	t.Pages[shared]++
	if _, torn := t.Sheet(shared); !torn {
		t.Torn++
	}
}

// lies reports whether the sheet on the tray, which begins with the first of the Writes, is anybody's, and whether it
// is the writer's too.
func (s *State) lies(t *Store, tray, first int, w *Write) (taken, own bool) {
	for i := first; i < KeptWrites; i++ {
		if p := &t.Writes[i]; p.onTray(tray) {
			lies := s.printing(p)
			taken, own = taken || lies, own || lies && p.Client == w.Client
		}
	}
	return taken, own
}

// onTray reports whether it is a page that lies on that tray.
func (w *Write) onTray(tray int) bool { return w.Client != 0 && !w.Refused && w.Tray == tray }

// sheet is the index among the Writes of the first page on the last sheet of a tray, KeptWrites if there is none. Of a
// sheet with more pages than are kept, it is the first that is.
func (t *Store) sheet(tray int) int {
	first := KeptWrites
	for i := KeptWrites - 1; i >= 0; i-- {
		if w := &t.Writes[i]; w.Client != 0 && w.Tray == tray {
			first = i
			if w.Fresh {
				break
			}
		}
	}
	return first
}

// printing reports whether who printed the page still thinks that it is inside, as it did then.
func (s *State) printing(w *Write) bool {
	c := s.Client(w.Client)
	return c != nil && c.Belief.Phase.Inside() && c.Belief.Term == w.Term && !c.Crashed && !c.Exited
}

// Sheet is what lies on a tray of a StoreSheet: the writes since its last sheet was begun, among which are refused ones
// and those on other trays, and whether more than one client has printed on it.
func (t *Store) Sheet(tray int) (pages []Write, torn bool) {
	pages = t.Writes[t.sheet(tray):]
	var first event.Actor
	for i := range pages {
		switch w := &pages[i]; {
		case !w.onTray(tray):
		case first == 0:
			first = w.Client
		case w.Client != first:
			torn = true
		}
	}
	return pages, torn
}
