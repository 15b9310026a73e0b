package replay

import (
	"slices"

	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// codeOf is why a multi has failed, and which of its parts was to blame, from 1: those after it, and those before it in
// what some versions write, have errors only since it has.
func codeOf(parts []wire.Txn) (code zoo.Code, part int) {
	for i := range parts {
		p := &parts[i]
		if p.Op == wire.OpError && p.Code != zoo.OK && (code == zoo.OK || code == zoo.ErrRuntimeInconsistency) {
			code, part = p.Code, i+1
		}
	}
	return code, part
}

// keeps reports whether a znode is one of those that are kept.
func (s *State) keeps(path string) bool {
	return capture.Within(path, s.root) ||
		slices.ContainsFunc(s.also, func(root string) bool { return capture.Within(path, root) })
}

// pathOf is the path of the first part that is about a znode which is kept.
func (s *State) pathOf(parts []wire.Txn) (string, bool) {
	for i := range parts {
		if path := parts[i].Path; path != "" && s.keeps(path) {
			return path, true
		}
	}
	return "", false
}
