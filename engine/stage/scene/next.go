package scene

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// Next returns the hit that comes by places after the selected one in the first picture: first the clients by number,
// then znodes, nodes and their entries in the order of the plan. It wraps around. A selection that isn't in the picture
// counts as before the first hit and after the last.
func (f *Frame) Next(selected string, by int) string {
	var clients, nodes []string
	seen := map[string]bool{}
	for i := range f.Hits {
		switch id := f.Hits[i].ID; {
		case seen[id] || f.Hits[i].Picture > 0:
			continue
		case strings.HasPrefix(id, "/"), strings.HasPrefix(id, "node-"):
			nodes = append(nodes, id)
		default:
			clients = append(clients, id)
		}
		seen[f.Hits[i].ID] = true
	}
	sort.Slice(clients, func(i, j int) bool {
		a, b := clients[i], clients[j]
		return cmp.Or(len(a)-len(b), strings.Compare(a, b)) < 0
	})
	all := append(clients, nodes...)
	at := slices.Index(all, selected)
	switch {
	case len(all) == 0:
		return selected
	case at < 0 && by < 0:
		at = len(all)
	}
	return all[((at+by)%len(all)+len(all))%len(all)]
}
