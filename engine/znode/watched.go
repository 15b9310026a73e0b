package znode

import "maps"

// watched is the paths that one connection watches in one of the tables. What had room for many gives that back
// when few are left: a connection lives long, and spends its watches.
type watched struct {
	paths map[string]struct{}
	most  int // paths that there were since the map was made
}

// fewPaths is for how many paths room is kept in any case.
const fewPaths = 64

func (w *watched) add(path string) {
	w.paths[path] = struct{}{}
	w.most = max(w.most, len(w.paths))
}

func (w *watched) drop(path string) {
	delete(w.paths, path)
	if w.most > fewPaths && len(w.paths) <= w.most/4 {
		paths := make(map[string]struct{}, len(w.paths))
		maps.Copy(paths, w.paths)
		w.paths, w.most = paths, len(paths)
	}
}

func (w *watched) len() int {
	if w == nil {
		return 0
	}
	return len(w.paths)
}

func (w *watched) has(path string) bool {
	if w == nil {
		return false
	}
	_, there := w.paths[path]
	return there
}

// heard is the connections that a list of events goes to; nil is none. Once the list is long it keeps them in a set.
type heard struct {
	list []Fired
	set  map[Watcher]struct{}
	upTo int // of list, which are in set
}

// fewHeard is how many are looked through one by one.
const fewHeard = 16

// in makes it those of list, which begins with what it was before.
func (h *heard) in(list []Fired) *heard {
	h.list = list
	return h
}

func (h *heard) has(id Watcher) bool {
	if h == nil {
		return false
	}
	if len(h.list) <= fewHeard {
		for i := range h.list {
			if h.list[i].Watcher == id {
				return true
			}
		}
		return false
	}
	if h.set == nil {
		h.set = make(map[Watcher]struct{}, len(h.list))
	}
	for ; h.upTo < len(h.list); h.upTo++ {
		h.set[h.list[h.upTo].Watcher] = struct{}{}
	}
	_, ok := h.set[id]
	return ok
}
