package view_test

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// modelStore is a store of the model, with every write ever made; for a StoreValues, with what is kept.
type modelStore struct {
	view.Store
	all   []view.Write
	given []int64
	tasks []view.Task // in sight
	turns map[string][]turn
}

// turn records that a client took a task, or did it.
type turn struct {
	who  event.Actor
	done bool
}

// kept returns the store as a State has it.
func (t *modelStore) kept() view.Store {
	s := t.Store
	for i := range min(len(t.all), view.KeptWrites) {
		s.Writes[view.KeptWrites-1-i] = t.all[len(t.all)-1-i]
	}
	copy(s.Tasks[:], t.tasks)
	if t.Form == event.StoreSheet {
		for _, w := range t.all {
			if w.Fresh {
				s.Pages[w.Tray] = 0
			}
			s.Pages[w.Tray]++
		}
	}
	return s
}

func (m *model) declareStores(stores []event.StoreDrawing) {
	for _, d := range stores {
		m.stores = append(m.stores, &modelStore{Store: view.Store{Name: d.Name, Form: d.Form, Trays: d.Trays}})
	}
}

func (m *model) store(e event.Event) {
	i := slices.IndexFunc(m.stores, func(t *modelStore) bool { return t.Name == e.Path })
	if i < 0 && len(m.stores) < 16 {
		i = len(m.stores)
		m.stores = append(m.stores, &modelStore{Store: view.Store{Name: e.Path}})
	}
	c := m.client(e.Actor)
	if i < 0 || c == nil {
		return
	}
	t := m.stores[i]
	w := view.Write{Client: e.Actor, Text: e.Text, Fence: e.N, Refused: e.Kind == event.StoreRefused, At: e.At,
		Late: c.Belief.Phase.Inside() && !c.Inside, Term: c.Belief.Term}
	if w.Refused {
		t.Refused++
	} else {
		t.Taken++
		t.Greatest = max(t.Greatest, e.N)
		m.take(t, &w)
	}
	t.Twice += one(w.Twice)
	t.all = append(t.all, w)
	if t.Form == event.StoreValues || t.Form == event.StoreDocument {
		t.all = t.all[max(0, len(t.all)-view.KeptWrites):]
	}
}

func (m *model) take(t *modelStore, w *view.Write) {
	switch t.Form {
	case event.StoreSheet:
		m.page(t, w)
	case event.StoreNumbers:
		if n, err := strconv.ParseInt(w.Text, 10, 64); err == nil {
			w.Twice = slices.Contains(t.given, n)
			t.given = append(t.given, n)
		}
	case event.StoreValues:
		t.all = slices.DeleteFunc(t.all, func(o view.Write) bool { return o.Client == w.Client })
	case event.StoreTasks:
		t.task(w)
	case event.StoreDocument:
		m.document(t, w)
	}
}

// document knows which version was begun during each stay inside, as far as that is among the last writes.
func (m *model) document(t *modelStore, w *view.Write) {
	type inside struct {
		client event.Actor
		term   time.Duration
	}
	of := func(w view.Write) inside { return inside{w.Client, w.Term} }
	begun := map[inside]view.Half{}
	for _, p := range append(slices.Clone(t.all), t.Draft) {
		if p.Text == event.FirstHalf && !p.Refused {
			begun[of(p)] = p.Halves[0]
		}
	}
	drafting := t.Draft.Client != 0
	if c := m.known(t.Draft.Client); drafting && of(t.Draft) != of(*w) &&
		(!c.Belief.Phase.Inside() || c.Belief.Term != t.Draft.Term || c.Crashed || c.Exited) {
		t.Halves[0], t.Draft, drafting = t.Halves[1], view.Write{}, false
	}
	half, known := begun[of(*w)]
	switch {
	case w.Text == event.FirstHalf, w.Text == event.SecondHalf && !known:
		t.Versions++
		half = view.Half{Writer: w.Client, Version: t.Versions}
	case w.Text != event.ACopy && w.Text != event.SecondHalf:
		return
	}
	switch w.Text {
	case event.FirstHalf:
		t.Halves[0] = half
	case event.SecondHalf:
		t.Halves[1] = half
		if drafting && of(t.Draft) == of(*w) {
			t.Draft = view.Write{}
		}
	}
	w.Halves = t.Halves
	switch {
	case w.Text == event.FirstHalf:
		t.Draft = *w
	case w.Text == event.ACopy || t.Draft.Client == 0:
		t.Torn += one(t.Halves[0].Version != t.Halves[1].Version)
	}
	t.all = slices.DeleteFunc(t.all, func(o view.Write) bool { return o.Client == w.Client })
}

// page treats the last writes as one heap for each tray: those since the last page that was the first on it.
func (m *model) page(t *modelStore, w *view.Write) {
	kept := t.all[max(0, len(t.all)-view.KeptWrites):]
	heaps := make([][]view.Write, min(max(t.Trays, 1), 4))
	began := make([]int, len(heaps))
	for i, p := range kept {
		if p.Fresh {
			heaps[p.Tray] = nil
		}
		if !p.Refused {
			if len(heaps[p.Tray]) == 0 {
				began[p.Tray] = i
			}
			heaps[p.Tray] = append(heaps[p.Tray], p)
		}
	}
	lies := func(p view.Write) bool {
		c := m.known(p.Client)
		return c.Belief.Phase.Inside() && c.Belief.Term == p.Term && !c.Crashed && !c.Exited
	}
	own := slices.IndexFunc(heaps, func(heap []view.Write) bool {
		if n := len(heap); n > 0 && w.Term != 0 && heap[n-1].Client == w.Client && heap[n-1].Term == w.Term {
			return true
		}
		return slices.ContainsFunc(heap, func(p view.Write) bool { return p.Client == w.Client && lies(p) })
	})
	free := slices.IndexFunc(heaps, func(heap []view.Write) bool { return !slices.ContainsFunc(heap, lies) })
	switch {
	case own >= 0:
		w.Tray = own
	case free >= 0:
		w.Tray, w.Fresh = free, true
	default:
		w.Tray = slices.Index(began, slices.Min(began))
		heap := heaps[w.Tray]
		t.Torn += one(!slices.ContainsFunc(heap, func(p view.Write) bool { return p.Client != heap[0].Client }))
	}
}

func (t *modelStore) task(w *view.Write) {
	words := strings.Split(w.Text, " ")
	name := strings.Join(words[:max(len(words)-1, 0)], " ")
	if len(words) < 2 {
		name = w.Text
	}
	if name == "" {
		return
	}
	i := slices.IndexFunc(t.tasks, func(x view.Task) bool { return x.Name == name })
	if i < 0 {
		if len(t.tasks) == view.KeptTasks {
			out := max(0, slices.IndexFunc(t.tasks, func(x view.Task) bool { return x.Done == 1 }))
			t.tasks = slices.Delete(t.tasks, out, out+1)
		}
		i = len(t.tasks)
		t.tasks = append(t.tasks, view.Task{Name: name})
		delete(t.turns, name)
		t.Open++
	}
	x := &t.tasks[i]
	x.At = w.At
	switch last := words[len(words)-1]; {
	case len(words) < 2 || last != event.TaskTaken && last != event.TaskDone:
		return
	case last == event.TaskTaken:
		x.Taken++
	default:
		x.Done++
		w.Twice = x.Done > 1
		if x.Done == 1 {
			t.Open, t.Done = t.Open-1, t.Done+1
		}
	}
	if t.turns == nil {
		t.turns = map[string][]turn{}
	}
	t.turns[name] = append(t.turns[name], turn{w.Client, x.Done > 0})
	x.Worker, x.Before = w.Client, before(t.turns[name])
}

// before looks back over a task's turns: for who did it first, if somebody had a turn after that and it wasn't always
// the same client, else for who took it before the last.
func before(turns []turn) event.Actor {
	last := turns[len(turns)-1]
	first := slices.IndexFunc(turns, func(x turn) bool { return x.done })
	if first >= 0 {
		first := turns[first].who
		if slices.ContainsFunc(turns, func(x turn) bool { return x.done && x.who != first }) {
			return first
		}
		return 0
	}
	for _, x := range slices.Backward(turns) {
		if x.who != last.who {
			return x.who
		}
	}
	return 0
}
