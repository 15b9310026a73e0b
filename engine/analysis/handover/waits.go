package handover

import (
	"path"

	"github.com/zkviz/zkviz/engine/analysis/naming"
)

// Waits reports whether a session waits by the znode at a path: it is in line, certainly hasn't got in, and has no
// permit of a semaphore at whose door it stands. One at a door that has a permit may have got in.
func (t *Tracker) Waits(p string) bool {
	n, there := t.nodes[p]
	if !there || n.Session == 0 || t.own {
		return false
	}
	if _, held := t.hold[p]; held {
		return false
	}
	use, _ := t.Taken()
	switch in := t.room(p); {
	case in == nil:
		return false
	case t.waitsAtDoor():
		return in == t.atDoor() && !t.admitted(n.Session)
	case in != &t.rooms[t.seat] || use != naming.Unknown && !use.Line():
		return false
	default:
		inside, doubt := in.family.Inside(path.Base(p))
		return !inside && doubt == ""
	}
}

// admitted reports whether a session has a permit.
func (t *Tracker) admitted(session int64) bool {
	for p := range t.rooms[t.seat].family.Places() {
		if p.Child.Owner == session {
			return true
		}
	}
	return false
}

// Date takes when a znode was created by its server's clock, in ms since 1970. A log may have seen it only later.
func (t *Tracker) Date(path string, ms int64) {
	if n, there := t.nodes[path]; there {
		n.MadeMS = min(n.MadeMS, ms)
		t.nodes[path] = n
	}
	if h, holds := t.hold[path]; holds {
		h.MadeMS = min(h.MadeMS, ms)
		t.hold[path] = h
	}
}
