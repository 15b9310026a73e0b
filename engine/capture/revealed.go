package capture

import (
	"path"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// keepLost is how many creates of a client are remembered of which nobody was told what came of them.
const keepLost = 16

// doubtCreates remembers a create of a znode that goes with its session, if its answer will not come: the znode may be
// there, and is its client's. Hosts that find that out otherwise have no clients that are overdue.
func (w *Cluster) doubtCreates(r *Request) {
	for _, o := range r.Parts {
		if c := r.By; o.Kind == zoo.OpCreate && o.Mode.IsEphemeral() && r.Passed && c.Overdue != nil && !c.Gone {
			c.lost = append(c.lost[max(0, len(c.lost)-keepLost+1):], r)
			return
		}
	}
}

// revealed logs the znodes that a list shows to be there though nobody was told that they were made.
func (w *Cluster) revealed(r *Request, a *Reply, payload []byte) {
	if r.Op != event.Children || a.Code != zoo.OK {
		return
	}
	for c := range w.clients {
		if len(c.lost) == 0 {
			continue
		}
		for _, name := range r.names(payload) {
			if at := path.Join(r.Path, name); !w.Has(at) {
				w.reveal(at, a.Zxid)
			}
		}
		return
	}
}

// reveal logs a znode that is there as of the zxid as what a lost create has made, if that can only be one client's. It
// reports whether it is.
func (w *Cluster) reveal(at string, zxid int64) bool {
	var made *Request
	var as zoo.Op
	for c := range w.clients {
		for _, r := range c.lost {
			for _, o := range r.Parts {
				if !makes(o, at) {
					continue
				}
				if made != nil && made.By != c {
					return false
				}
				made, as = r, o
			}
		}
	}
	if made == nil {
		return false
	}
	w.Created(at, as, made.By, zxid, made.Cause)
	return w.Has(at)
}

// makes reports whether a create of an ephemeral znode may have made the one at a path.
func makes(o zoo.Op, at string) bool {
	if o.Kind != zoo.OpCreate || !o.Mode.IsEphemeral() {
		return false
	}
	number, ok := strings.CutPrefix(at, o.Path)
	if !o.Mode.IsSequential() {
		return ok && number == ""
	}
	_, numbered := event.Sequence(at)
	return ok && numbered && len(number) == event.SequenceDigits
}
