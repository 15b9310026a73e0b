package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// KeptWrites is how many of its latest writes a Store remembers.
const KeptWrites = 8

// Store is something outside of ZooKeeper that clients write to: what a lock protects.
type Store struct {
	Name     string // as the header says it, or the first write
	Form     event.StoreForm
	Trays    int               // as in event.StoreDrawing
	Greatest int64             // the greatest fencing number that it has taken
	Taken    int               // writes that it took
	Refused  int               // writes that it refused
	Twice    int               // of a StoreNumbers: numbers given out again; of a StoreTasks: tasks done again
	Torn     int               // sheets with pages of more than one client, which all thought it theirs; as in document
	Pages    [maxTrays]int     // of a StoreSheet: on the sheet of each tray, those out of sight and refused ones too
	Writes   [KeptWrites]Write // the latest, the oldest first; those before the first have no Client

	numbers  numbers
	nameless bool            // until it is written to
	Tasks    [KeptTasks]Task // of a StoreTasks: those in sight, the oldest first; those after the last have no Name
	Halves   Halves          // of a StoreDocument: as it is
	Draft    Write           // of a StoreDocument: the first half of the version in Halves that is not finished
	Versions int             // of a StoreDocument: how many were begun
	Open     int             // tasks that are not done, those out of sight too
	Done     int             // tasks that were
}

// Write is one write to a store.
type Write struct {
	Client  event.Actor
	Text    string
	Fence   int64 // 0 for none
	Refused bool
	Late    bool // its client thought that it was inside, and was not
	Twice   bool // as in Store
	At      time.Duration

	Fresh bool          // of a StoreSheet: the first page of a sheet
	Tray  int           // of a StoreSheet: which one it came to lie on, from 0
	Term  time.Duration // since when its client thought that it was inside

	Halves Halves // of a StoreDocument: as the document was then
}

// maxStores bounds the stores of a log, which may come from a foreign file.
const maxStores = 16

// declareStores makes the stores that the header knows of.
func (s *State) declareStores() {
	for _, d := range s.Header.Drawing.Stores {
		if t := s.store(d.Name); t != nil {
			t.Form, t.Trays, t.nameless = d.Form, d.Trays, d.Name == ""
		}
	}
}

// write notes what a store made of a client's write.
func (s *State) write(e event.Event) {
	t, c := s.store(e.Path), s.client(e.Actor)
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
		s.page(t, &w)
	case event.StoreNumbers:
		w.Twice = t.numbers.give(w.Text)
	case event.StoreValues:
		t.forget(w.Client)
	case event.StoreTasks:
		w.Twice = t.task(&w)
	case event.StoreDocument:
		s.document(t, &w)
	}
	if w.Twice {
		t.Twice++
	}
	t.keep(w)
}

// keep remembers a write in place of the oldest.
func (t *Store) keep(w Write) {
	copy(t.Writes[:], t.Writes[1:])
	t.Writes[KeptWrites-1] = w
}

// forget takes the writes of a client out.
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

// store is the store of that name, made if it is new; nil if there are too many. One of which the header
// does not say the name gets it.
func (s *State) store(name string) *Store {
	for i := range s.Stores {
		if t := &s.Stores[i]; t.Name == name || t.nameless {
			t.Name, t.nameless = name, false
			return t
		}
	}
	if len(s.Stores) == maxStores {
		return nil
	}
	s.Stores = append(s.Stores, Store{Name: name})
	return &s.Stores[len(s.Stores)-1]
}
