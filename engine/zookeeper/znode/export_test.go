package znode

import (
	"maps"
	"slices"
)

// SetCounter sets the counter of the parent at path to n. Nobody has the time for 2³¹ creates.
func (t *Tree) SetCounter(path string, n int32) { t.nodes[path].creates = n }

// Held returns how much of Limits.Bytes is used.
func (t *Tree) Held() int64 { return t.held }

// List returns the watches in the tables, sorted by path, data before children, each in the order in which they were
// set.
func (w *Watches) List(in Tables) []Standing {
	var list []Standing
	if in&DataTable != 0 {
		list = w.data.list(DataTable, list)
	}
	if in&ChildTable != 0 {
		list = w.child.list(ChildTable, list)
	}
	if in == AnyTable {
		slices.SortStableFunc(list, func(a, b Standing) int {
			switch {
			case a.Path < b.Path:
				return -1
			case a.Path > b.Path:
				return 1
			}
			return int(b.In) - int(a.In)
		})
	}
	return list
}

func (t *table) list(in Tables, list []Standing) []Standing {
	for _, path := range slices.Sorted(maps.Keys(t.byPath)) {
		for _, s := range t.byPath[path] {
			list = append(list, Standing{path, s.id, s.kind, in})
		}
	}
	return list
}
