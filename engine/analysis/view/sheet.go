package view

import "github.com/zkviz/zkviz/engine/event"

// maxTrays bounds the trays of a StoreSheet. With more, some would have no page in sight.
const maxTrays = KeptWrites / 2

// HasTrays returns how many sheets of a StoreSheet can be in the making at a time.
func (t *Store) HasTrays() int { return min(max(t.Trays, 1), maxTrays) }

// page puts a page on a sheet: on its client's own, on a free tray or, if none is free, on the sheet that was begun
// first. A sheet belongs to the clients whose pages are on it, for as long as they believe they are inside. Clients
// that leave take it along. If its client crashed, or learned that it no longer holds the lock, the next one throws
// the sheet away; a page that the client had sent before still goes on it, as long as nobody else's is the last. If
// more clients believe they are inside than there are trays, they share a sheet.
func (t *Store) page(w *Write, clients Clients) {
	free, shared, began := -1, 0, KeptWrites
	for tray := range t.HasTrays() {
		first := t.sheet(tray)
		switch taken, own := t.lies(tray, first, w, clients); {
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

// lies reports whether the sheet on the tray, which begins with the first of the Writes, belongs to anybody, and
// whether the writer is among them, or its last page is by the writer.
func (t *Store) lies(tray, first int, w *Write, clients Clients) (taken, own bool) {
	goesOn := false
	for i := first; i < KeptWrites; i++ {
		if p := &t.Writes[i]; p.onTray(tray) {
			lies := clients.printing(p)
			taken, own = taken || lies, own || lies && p.Client == w.Client
			goesOn = w.Term > 0 && p.together(w)
		}
	}
	return taken, own || goesOn
}

// onTray reports whether the write is a page that lies on that tray.
func (w *Write) onTray(tray int) bool { return w.Client != 0 && !w.Refused && w.Tray == tray }

// sheet returns the index among the Writes of the first page on a tray's last sheet, KeptWrites if there is none.
// For a sheet with more pages than are kept, it is the first page that is kept.
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

// Sheet returns what lies on a tray of a StoreSheet: the writes since its last sheet was begun, including refused
// ones and those on other trays. It also reports whether more than one client printed on it.
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
