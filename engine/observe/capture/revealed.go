package capture

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// lostCreate is a create, alone or in a multi, whose outcome nobody was told.
type lostCreate struct {
	of *Request
	op zoo.Op
}

// maxLost is the number of lost creates to keep for each client, maxOthers the number for all clients of creates
// that get no credit.
const (
	maxLost   = 16
	maxOthers = 256
)

// doubtCreates remembers creates whose answer will not come: the znode may exist. An ephemeral one then belongs to the
// client. Hosts that learn this in another way have no overdue clients.
func (w *Cluster) doubtCreates(r *Request) {
	c := r.By
	if !r.Passed || c.Overdue == nil {
		return
	}
	for _, o := range r.Parts {
		switch l := (lostCreate{r, o}); {
		case o.Kind != zoo.OpCreate:
		case o.Mode.IsEphemeral():
			if !c.Gone {
				c.lost = append(c.lost[max(0, len(c.lost)-maxLost+1):], l)
			}
		default:
			w.doubted(l)
		}
	}
}

// doubted remembers a create that may have made a found znode, but gets no credit for it.
func (w *Cluster) doubted(l lostCreate) {
	w.others = append(w.others[max(0, len(w.others)-maxOthers+1):], l)
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
		if n := made.of.By.lostCreates(names[0]); n > 0 && n < len(names) {
			w.withdraw(made.of.By, names[0])
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

// lostCreates returns how many lost creates of the client may have made the znode at a path.
func (c *Client) lostCreates(at string) (n int) {
	for _, l := range c.lost {
		if makes(l.op, at) {
			n++
		}
	}
	return n
}

// withdraw withdraws the credit from a client's lost creates that may have made the znode at a path.
func (w *Cluster) withdraw(c *Client, at string) {
	c.lost = slices.DeleteFunc(c.lost, func(l lostCreate) bool {
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
	if i := slices.IndexFunc(c.lost, func(l lostCreate) bool { return l.of == made.of && makes(l.op, at) }); i >= 0 {
		c.lost = slices.Delete(c.lost, i, i+1)
	}
	w.Created(at, made.op, c, zxid, made.of.Cause)
	return w.Has(at)
}

// maker returns the create that made the znode at a path, the oldest of several by one client. It returns nothing if
// another client may have made it, or if it isn't ephemeral.
func (w *Cluster) maker(at string) (made lostCreate) {
	for l, sure := range w.candidates(at) {
		switch {
		case !makes(l.op, at):
		case !l.op.Mode.IsEphemeral(), made.of != nil && made.of.By != l.of.By:
			return lostCreate{}
		case sure && made.of == nil:
			made = l
		case !sure && l.of.By.lostCreates(at) == 0:
			return lostCreate{}
		}
	}
	return made
}

// candidates yields the creates of unknown outcome that may have made a znode: lost ones and unanswered ones. The
// flag tells whether the match is certain. For an unanswered create, that needs a name with a unique random number,
// since any other name may have existed before.
func (w *Cluster) candidates(at string) iter.Seq2[lostCreate, bool] {
	return func(yield func(lostCreate, bool) bool) {
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
		alone := hasRandomName(path.Base(at))
		for r := range w.writes.all {
			for _, o := range r.Parts {
				if r.Passed && !yield(lostCreate{r, o}, alone) {
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

// randomDigits is the number of hexadecimal digits in the random numbers that libraries put into names.
const randomDigits = 32

// hasRandomName reports whether a name has such a number, with or without dashes.
func hasRandomName(name string) bool {
	n := 0
	for _, r := range name {
		switch {
		case strings.ContainsRune("0123456789abcdef", r):
			n++
		case r != '-':
			n = 0
		}
		if n == randomDigits {
			return true
		}
	}
	return false
}
