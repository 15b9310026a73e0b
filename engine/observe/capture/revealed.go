package capture

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// lost is a create, alone or in a multi, whose outcome nobody was told.
type lost struct {
	of *Request
	op zoo.Op
}

// keepLost is the number of lost creates to keep for each client, keepOthers the number for all clients of creates
// that get no credit.
const (
	keepLost   = 16
	keepOthers = 256
)

// doubtCreates remembers creates whose answer will not come: the znode may exist. An ephemeral one then belongs to the
// client. Hosts that learn this in another way have no overdue clients.
func (w *Cluster) doubtCreates(r *Request) {
	c := r.By
	if !r.Passed || c.Overdue == nil {
		return
	}
	for _, o := range r.Parts {
		switch l := (lost{r, o}); {
		case o.Kind != zoo.OpCreate:
		case o.Mode.IsEphemeral():
			if !c.Gone {
				c.lost = append(c.lost[max(0, len(c.lost)-keepLost+1):], l)
			}
		default:
			w.doubted(l)
		}
	}
}

// doubted remembers a create that may have made a found znode, but gets no credit for it.
func (w *Cluster) doubted(l lost) {
	w.others = append(w.others[max(0, len(w.others)-keepOthers+1):], l)
}

// revealed logs the znodes in a list whose creation nobody was told of. If the list shows more znodes than a client's
// lost creates can have made, it is unknown which ones are that client's.
func (w *Cluster) revealed(r *Request, a *Reply, payload []byte) {
	if r.Op != event.Children || a.Code != zoo.OK || !w.hasLost() {
		return
	}
	type create struct {
		of   *Request
		path string
	}
	shown := map[create][]string{} // by the create that may have made them
	var list []create
	for _, name := range r.names(payload) {
		at := path.Join(r.Path, name)
		if w.Has(at) {
			continue
		}
		if made := w.maker(at); made.of != nil {
			key := create{made.of, made.op.Path}
			if shown[key] == nil {
				list = append(list, key)
			}
			shown[key] = append(shown[key], at)
		}
	}
	for _, made := range list {
		names := shown[made]
		if n := made.of.By.counts(names[0]); n > 0 && n < len(names) {
			w.give(made.of.By, names[0])
			continue
		}
		for _, at := range names {
			w.reveal(at, a.Zxid)
		}
	}
}

func (w *Cluster) hasLost() bool {
	for c := range w.clients {
		if len(c.lost) > 0 {
			return true
		}
	}
	return false
}

// counts returns how many lost creates of the client may have made the znode at a path.
func (c *Client) counts(at string) (n int) {
	for _, l := range c.lost {
		if makes(l.op, at) {
			n++
		}
	}
	return n
}

// give withdraws the credit from a client's lost creates that may have made the znode at a path.
func (w *Cluster) give(c *Client, at string) {
	c.lost = slices.DeleteFunc(c.lost, func(l lost) bool {
		if !makes(l.op, at) {
			return false
		}
		w.doubted(l)
		return true
	})
}

// reveal logs a znode, which exists as of the zxid, as made by a lost or unanswered create, if only one client can
// have made it. It reports whether it did. A create makes only one znode, so it is then forgotten.
func (w *Cluster) reveal(at string, zxid int64) bool {
	made := w.maker(at)
	if made.of == nil {
		return false
	}
	c := made.of.By
	if i := slices.IndexFunc(c.lost, func(l lost) bool { return l.of == made.of && makes(l.op, at) }); i >= 0 {
		c.lost = slices.Delete(c.lost, i, i+1)
	}
	w.Created(at, made.op, c, zxid, made.of.Cause)
	return w.Has(at)
}

// maker returns the create that made the znode at a path, the oldest of several by one client. It returns nothing if
// another client may have made it, or if it isn't ephemeral.
func (w *Cluster) maker(at string) (made lost) {
	for l, sure := range w.open(at) {
		switch {
		case !makes(l.op, at):
		case !l.op.Mode.IsEphemeral(), made.of != nil && made.of.By != l.of.By:
			return lost{}
		case sure && made.of == nil:
			made = l
		case !sure && l.of.By.counts(at) == 0:
			return lost{}
		}
	}
	return made
}

// open yields the creates of unknown outcome that may have made a znode: lost ones and unanswered ones. The flag tells
// whether the match is certain. For an unanswered create, that needs a name with a unique random number, since any
// other name may have existed before.
func (w *Cluster) open(at string) iter.Seq2[lost, bool] {
	return func(yield func(lost, bool) bool) {
		for c := range w.clients {
			for _, l := range c.lost {
				if !yield(l, true) {
					return
				}
			}
		}
		for _, l := range w.others {
			if !yield(l, false) {
				return
			}
		}
		alone := drawn(path.Base(at))
		for r := range w.writes.all {
			for _, o := range r.Parts {
				if r.Passed && !yield(lost{r, o}, alone) {
					return
				}
			}
		}
	}
}

// makes reports whether an operation may have made the znode at a path.
func makes(o zoo.Op, at string) bool {
	if o.Kind != zoo.OpCreate {
		return false
	}
	number, ok := strings.CutPrefix(at, o.Path)
	if !o.Mode.IsSequential() {
		return ok && number == ""
	}
	_, numbered := event.Sequence(at)
	return ok && numbered && len(number) == event.SequenceDigits
}

// drawnDigits is the number of hexadecimal digits in the random numbers that libraries put into names.
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
