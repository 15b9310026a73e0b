package znode

import "maps"

// watched holds the paths that a connection watches in one table. It shrinks when few of many are left, because a
// connection lives long and uses up its watches.
type watched struct {
	paths map[string]struct{}
	most  int // maximum number of paths since the map was made
}

// fewPaths is the number of paths for which a map never shrinks.
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

// heard holds the connections that a list of events goes to; nil means none. For a long list, it keeps them in a set.
type heard struct {
	list []Fired
	set  map[Watcher]struct{}
	upTo int // number of events in list that are in set
}

// fewHeard is the maximum length of a list that is searched one by one.
const fewHeard = 16

// in sets the list, which must extend the previous one.
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
