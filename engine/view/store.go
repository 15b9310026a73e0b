package view

import "github.com/zkviz/zkviz/engine/event"

// maxStores bounds the stores of a log, which may come from a foreign file.
const maxStores = 16

// write notes what a store made of a client's write.
func (s *State) write(e event.Event) {
	t := s.store(e.Path)
	if t == nil || s.client(e.Actor) == nil {
		return
	}
	copy(t.Writes[:], t.Writes[1:])
	refused := e.Kind == event.StoreRefused
	t.Writes[KeptWrites-1] = Write{Client: e.Actor, Text: e.Text, Fence: e.N, Refused: refused, At: e.At}
	if !refused {
		t.Greatest = max(t.Greatest, e.N)
	}
}

// store is the store of that name, made if it is new; nil if there are too many.
func (s *State) store(name string) *Store {
	for i := range s.Stores {
		if s.Stores[i].Name == name {
			return &s.Stores[i]
		}
	}
	if len(s.Stores) == maxStores {
		return nil
	}
	s.Stores = append(s.Stores, Store{Name: name})
	return &s.Stores[len(s.Stores)-1]
}
