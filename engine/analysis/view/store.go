package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// KeptWrites is how many of its latest writes a Store remembers.
const KeptWrites = 8

// Store is something outside of ZooKeeper that clients write to: what a lock protects.
type Store struct {
	_        Incomparable
	Name     string // from the header or the first write
	Form     event.StoreForm
	Trays    int               // as in event.StoreDrawing
	Greatest int64             // the greatest fencing number that it has accepted
	Taken    int               // writes that it accepted
	Refused  int               // writes that it refused
	Twice    int               // for a StoreNumbers, numbers given out again; for a StoreTasks, tasks done again
	Torn     int               // sheets on which several clients printed, each believing it its own; see document
	Pages    [maxTrays]int     // for a StoreSheet, pages on each tray's sheet, with refused and unseen ones
	Writes   [KeptWrites]Write // the latest, oldest first; empty slots have no Client

	numbers  numbers
	nameless bool            // until the first write names it
	Tasks    [KeptTasks]Task // for a StoreTasks, those in sight, oldest first; empty slots have no Name
	Halves   Halves          // for a StoreDocument, its present halves
	Draft    Write           // for a StoreDocument, the first half of the unfinished version in Halves
	Versions int             // for a StoreDocument, how many were begun
	Open     int             // unfinished tasks, including those out of sight
	Done     int             // finished tasks
}

// Write is one write to a store.
type Write struct {
	_       Incomparable
	Client  event.Actor
	Text    string
	Fence   int64 // 0 for none
	Refused bool
	Late    bool // its client believed that it was inside, and wasn't
	Twice   bool // as in Store
	At      time.Duration

	Fresh bool          // for a StoreSheet, the first page of a sheet
	Tray  int           // for a StoreSheet, the tray that it lies on, from 0
	Term  time.Duration // since when its client believed that it was inside

	Halves Halves // for a StoreDocument, the document at that time
}

// maxStores bounds the stores of a log, which may come from a foreign file.
const maxStores = 16

// keep remembers a write in place of the oldest.
func (t *Store) keep(w Write) {
	copy(t.Writes[:], t.Writes[1:])
	t.Writes[KeptWrites-1] = w
}

// forget removes a client's writes.
func (t *Store) forget(a event.Actor) {
	to := KeptWrites
	for i := KeptWrites - 1; i >= 0; i-- {
		if w := t.Writes[i]; w.Client != a {
			to--
			t.Writes[to] = w
		}
	}
	clear(t.Writes[:to])
}

// Stores lists what is outside of ZooKeeper, in the order of the first writes.
type Stores []Store

// declare creates the stores that the header names.
func (l *Stores) declare(list []event.StoreDrawing) {
	for _, d := range list {
		if t := l.named(d.Name); t != nil {
			t.Form, t.Trays, t.nameless = d.Form, d.Trays, d.Name == ""
		}
	}
}

// write records how a store took a client's write.
func (l *Stores) write(c *Client, e event.Event, clients Clients) {
	t := l.named(e.Path)
	if t == nil || c == nil {
		return
	}
	w := Write{Client: e.Actor, Text: e.Text, Fence: e.N, Refused: e.Kind == event.StoreRefused, At: e.At,
		Late: c.Belief.Phase.Inside() && !c.Inside, Term: c.Belief.Term}
	if w.Refused {
		t.Refused++
		if t.Form == event.StoreSheet {
			t.Pages[w.Tray]++
		}
		t.keep(w)
		return
	}
	t.Greatest = max(t.Greatest, e.N)
	t.Taken++
	switch t.Form {
	case event.StoreSheet:
		t.page(&w, clients)
	case event.StoreNumbers:
		w.Twice = t.numbers.give(w.Text)
	case event.StoreValues:
		t.forget(w.Client)
	case event.StoreTasks:
		w.Twice = t.task(&w)
	case event.StoreDocument:
		t.document(&w, clients)
	}
	if w.Twice {
		t.Twice++
	}
	t.keep(w)
}

// named returns the store of that name, made if it is new; nil if there are too many. A store that the header
// didn't name takes this name.
func (l *Stores) named(name string) *Store {
	for i := range *l {
		if t := &(*l)[i]; t.Name == name || t.nameless {
			t.Name, t.nameless = name, false
			return t
		}
	}
	if len(*l) == maxStores {
		return nil
	}
	*l = append(*l, Store{Name: name})
	return &(*l)[len(*l)-1]
}
