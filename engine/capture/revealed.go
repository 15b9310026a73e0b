package capture

import (
	"iter"
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

// reveal logs a znode that is there as of the zxid as what a create has made that was lost, or that isn't answered yet,
// if that can only be one client's. It reports whether it is.
func (w *Cluster) reveal(at string, zxid int64) bool {
	var made *Request
	var as zoo.Op
	for r := range w.open(at) {
		for _, o := range r.Parts {
			if !makes(o, at) {
				continue
			}
			if made != nil && made.By != r.By {
				return false
			}
			made, as = r, o
		}
	}
	if made == nil {
		return false
	}
	w.Created(at, as, made.By, zxid, made.Cause)
	return w.Has(at)
}

// open goes through the creates of which it isn't known whether they were carried out, and by which a znode may have
// been made: those that were lost, and if its name has a number that nobody else draws, those that aren't answered.
// Another name may be one from before.
func (w *Cluster) open(at string) iter.Seq[*Request] {
	return func(yield func(*Request) bool) {
		for r := range w.writes.all {
			if r.Passed && drawn(path.Base(at)) && !yield(r) {
				return
			}
		}
		for c := range w.clients {
			for _, r := range c.lost {
				if !yield(r) {
					return
				}
			}
		}
	}
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

// drawnDigits is how many hexadecimal digits a number has that libraries draw for a znode's name.
const drawnDigits = 32

// drawn reports whether a name has such a number, with or without dashes.
func drawn(name string) bool {
	n := 0
	for _, r := range name {
		switch {
		case strings.ContainsRune("0123456789abcdef", r):
			n++
		case r != '-':
			n = 0
		}
		if n == drawnDigits {
			return true
		}
	}
	return false
}
