// Package scene turns a view.State into a display list: what to draw where, and what lies under the pointer.
//
// It is pure: the same state, time and options give the same list, so a picture is a function of time and can
// be compared, printed and drawn by anyone. It draws nothing itself: wasm/draw puts the list on a canvas,
// WriteSVG into a document. It reads no event and judges nothing.
package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// Options says how to draw a State.
type Options struct {
	Width, Height float64 // CSS px, at least 320×240 to be readable
	Theme         Theme
	Selected      string   // "client-3", a znode's path, or empty
	Still         bool     // reduced motion: nothing is caught in mid-air, and nothing moves between events
	Focus         []string // what to stress: "client-3", "root", a znode's path or the end of it, as "lock"
	Words         *Words   // nil for English
	// Stood is when time last stood still. What had come by then is all there: nobody can wait for it to grow.
	Stood time.Duration
}

// Frame is a picture as a display list. Its zero value is ready; draw into the same one again and again, since
// it keeps its memory.
type Frame struct {
	Width, Height float64
	Paper         Colour
	Ops           []Op
	Hits          []Hit
	// Moving reports whether a later time with the same State would look different.
	Moving bool

	// What follows is the picture being made, and memory kept for the next one.
	s       *view.State
	at      time.Duration
	o       Options
	t       *Theme
	words   *Words
	english Words
	labels  map[string]string
	buf     []byte
	scratch []byte

	m       metrics
	box     rect    // ZooKeeper
	spots   []spot  // where each client is, by its index in State.Clients
	cards   []card  // where each znode is, by its index in State.Nodes
	slots   []slot  // the queue, from its head
	order   []int32 // how the last picture sorted them
	before  []slot  // the queue before its newest znode
	marks   []mark  // znodes that stand outside the queue, and missing ones that are watched
	twigs   []twig  // the rows of a tree
	crowded bool    // most clients are dots
	routes  routing // how lines find their way
	queueOf string  // the parent of the queue's znodes
	way     path    // the line being drawn
	tabbed  bool    // the holder's card says who is inside
	first   string  // the path of the first znode in a queue of the zoo, and
	firstOf int     // the client that it belongs to, -1 for none
	trains  []time.Duration
	parcels []parcelAt // messages with words
	// lastParcel is, by client, the last of these on its link, as an index from 1.
	lastParcel []int32
	owners     map[int64]int32 // the clients by their sessions; empty until somebody asks whose one is
	queued     []bool          // by client: it has a znode in the queue
}

// Draw makes the frame show s at the time at, which is not before s.At.
func (f *Frame) Draw(s *view.State, at time.Duration, o Options) {
	f.begin(s, at, o)
	f.measure()
	f.put(Op{Kind: Rect, W: float32(o.Width), H: float32(o.Height), Fill: f.t.Paper})
	switch {
	case f.isQueue():
		f.drawQueue()
	case f.isLock():
		f.drawLock()
	case f.isShelf():
		f.drawShelf()
	default:
		f.drawTree()
	}
	f.drawStore()
	f.drawStrip()
}

func (f *Frame) begin(s *view.State, at time.Duration, o Options) {
	f.Width, f.Height, f.Paper = o.Width, o.Height, o.Theme.Paper
	f.Ops, f.Hits, f.Moving = f.Ops[:0], f.Hits[:0], false
	f.o, f.s, f.t, f.words = o, s, &f.o.Theme, o.Words
	if f.words == nil {
		if f.english.ZooKeeper == "" {
			f.english = English()
		}
		f.words = &f.english
	}
	if o.Still {
		at = s.At
	} else if s.Ended {
		at = min(at, s.At+view.Keep)
	}
	f.at = max(at, s.At)
	s.Order()
	f.spots = resize(f.spots, len(s.Clients))
	f.cards = resize(f.cards, len(s.Nodes))
	f.slots, f.marks, f.twigs = f.slots[:0], f.marks[:0], f.twigs[:0]
	f.crowded, f.tabbed, f.queueOf, f.routes = false, false, "", routing{}
	f.first, f.firstOf = "", -1
	clear(f.owners)
	f.parcels, f.lastParcel = f.parcels[:0], resize(f.lastParcel, len(s.Clients))
	f.queued = resize(f.queued, len(s.Clients))
}

// resize is s with n zero elements, in the same memory if that is enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}

// At is what lies under the pointer.
func (f *Frame) At(x, y float64) (id string, ok bool) {
	for i := len(f.Hits) - 1; i >= 0; i-- {
		h := &f.Hits[i]
		if dx, dy := float32(x)-h.X, float32(y)-h.Y; dx >= 0 && dy >= 0 && dx < h.W && dy < h.H {
			return h.ID, true
		}
	}
	return "", false
}

// isLock reports whether clients are let in one after the other, or all together: one znode a client.
func (f *Frame) isLock() bool {
	return f.isName() || f.isBarrier() || f.queueDir() != ""
}

// queueDir is the znode whose numbered children are a queue, one for each client that waits; empty if there is
// no such queue.
func (f *Frame) queueDir() string {
	d := &f.s.Header.Drawing
	switch {
	case d.Kind == event.DrawQueue && d.Queue != "":
		return f.say(f.s.Root, "/", d.Queue).label()
	case d.Kind == event.DrawQueue, f.inZoo() && f.isLine():
		return f.s.Root
	}
	return ""
}

// observed reports whether the picture is of a part of somebody's ZooKeeper, where no recipe runs: clients are
// only known as the owners of ephemeral znodes.
func (f *Frame) observed() bool {
	t := f.s.Header.Host.Traits()
	return !t.Recipe && !t.Visitors
}

// isName reports whether there is one znode that one client at a time can have.
func (f *Frame) isName() bool { return f.s.Header.Drawing.Kind == event.DrawName }

func (f *Frame) isBarrier() bool { return f.s.Header.Drawing.Kind == event.DrawBarrier }

// isQueue reports whether some clients put items in and others take them out, right below the root. A queue
// that keeps more than its items is shown as the tree that it is.
func (f *Frame) isQueue() bool {
	if f.s.Header.Drawing.Kind == event.DrawItems {
		return true
	}
	if f.nodeAt(f.say(f.s.Root, "/items").label()) >= 0 {
		return false
	}
	for i := range f.s.Clients {
		if f.s.Clients[i].Role == consumer {
			return true
		}
	}
	return false
}

const consumer = "consumer"
