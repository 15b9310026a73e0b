package lua

import "math"

// table has the values of 1, 2, 3 … in a list, and all others in insertion order.
type table struct {
	list     []value
	places   map[value]int // index in entries
	entries  []entry
	gone     int // number of entries without a value
	meta     *table
	readOnly bool
}

type entry struct{ key, v value }

// at returns a key's index in a list, from 0, and whether it can have one.
func at(key value) (int, bool) {
	n, is := key.(float64)
	if !is || n < 1 || n > math.MaxInt32 || n != math.Trunc(n) {
		return 0, false
	}
	return int(n) - 1, true
}

func (t *table) get(key value) value {
	if i, ok := at(key); ok && i < len(t.list) {
		return t.list[i]
	}
	if i, there := t.places[key]; there {
		return t.entries[i].v
	}
	return nil
}

// set sets a key that is neither nil nor NaN. It reports whether the table has grown.
func (t *table) set(key, v value) bool {
	i, ok := at(key)
	switch {
	case ok && i < len(t.list):
		t.list[i] = v
		return false
	case ok && i == len(t.list) && v != nil && !t.has(key):
		t.list = append(t.list, v)
		t.migrate()
		return true
	}
	if i, there := t.places[key]; there {
		switch old := t.entries[i].v; {
		case old == nil && v != nil:
			t.gone--
		case old != nil && v == nil:
			t.gone++
		}
		t.entries[i].v = v
		return false
	}
	if v == nil {
		return false
	}
	if t.gone > len(t.entries)/2 {
		t.compact()
	}
	if t.places == nil {
		t.places = make(map[value]int)
	}
	t.places[key] = len(t.entries)
	t.entries = append(t.entries, entry{key, v})
	return true
}

func (t *table) has(key value) bool {
	_, there := t.places[key]
	return there
}

// migrate moves entries that continue the list to it.
func (t *table) migrate() {
	for len(t.places) > 0 {
		key := value(float64(len(t.list) + 1))
		i, there := t.places[key]
		if !there || t.entries[i].v == nil {
			return
		}
		t.list = append(t.list, t.entries[i].v)
		t.entries[i].v = nil
		t.gone++
	}
}

// compact removes the entries without a value.
func (t *table) compact() {
	kept := make([]entry, 0, len(t.entries)-t.gone+1)
	t.places, t.gone = make(map[value]int), 0
	for _, e := range t.entries {
		if e.v != nil {
			t.places[e.key] = len(kept)
			kept = append(kept, e)
		}
	}
	t.entries = kept
}

// length returns a border: there is a value at it, and none after it. Of several it returns the one that Lua finds.
func (t *table) length() int {
	n := len(t.list)
	if n > 0 && t.list[n-1] == nil {
		i := 0
		for n-i > 1 {
			if m := (i + n) / 2; t.list[m-1] == nil {
				n = m
			} else {
				i = m
			}
		}
		return i
	}
	for len(t.places) > 0 && t.get(float64(n+1)) != nil {
		n++
	}
	return n
}

// next returns the key after another and its value, nil after the last. It reports false for an unknown key.
func (t *table) next(key value) (value, value, bool) {
	i := 0
	if key != nil {
		n, ok := at(key)
		if ok && n < len(t.list) {
			i = n + 1
		} else if place, there := t.places[key]; there {
			i = len(t.list) + place + 1
		} else {
			return nil, nil, false
		}
	}
	for ; i < len(t.list); i++ {
		if t.list[i] != nil {
			return float64(i + 1), t.list[i], true
		}
	}
	for i -= len(t.list); i < len(t.entries); i++ {
		if e := t.entries[i]; e.v != nil {
			return e.key, e.v, true
		}
	}
	return nil, nil, true
}

// field returns a field of a metatable.
func (t *table) field(name string) value {
	if t == nil {
		return nil
	}
	return t.get(name)
}
