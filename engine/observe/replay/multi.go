package replay

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// codeOf returns why a multi has failed, and which part caused it, from 1. The other parts have errors only as a
// consequence: those after it and, in some versions, those before it.
func codeOf(parts []wire.Txn) (code zoo.Code, part int) {
	for i := range parts {
		p := &parts[i]
		if p.Op == wire.OpError && p.Code != zoo.OK && (code == zoo.OK || code == zoo.ErrRuntimeInconsistency) {
			code, part = p.Code, i+1
		}
	}
	return code, part
}

// keeps reports whether the State keeps the znode.
func (s *State) keeps(path string) bool {
	return window.Within(path, s.root) ||
		slices.ContainsFunc(s.also, func(root string) bool { return window.Within(path, root) })
}

// pathOf returns the path of the first part about a kept znode.
func (s *State) pathOf(parts []wire.Txn) (string, bool) {
	for i := range parts {
		if path := parts[i].Path; path != "" && s.keeps(path) {
			return path, true
		}
	}
	return "", false
}
