package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/view"
)

// Layout makes plans of pictures. Its zero value is ready; use the same one again and again, since it keeps its memory,
// and what it knew of the picture before helps it with the next.
type Layout struct {
	p    Plan
	s    *view.State
	at   time.Duration
	o    Options
	kind kind
	// visitors reports whether any program may be a client, and only contenders report what they believe; observed,
	// whether no recipe runs, and clients are only known as the owners of ephemeral znodes.
	visitors, observed bool
	owning             map[int64]bool // where clients are observed, the sessions that own something

	labels  map[string]string
	buf     []byte
	scratch []byte

	m        metrics
	box      rect            // ZooKeeper
	spots    []spot          // where each client is, by its index in State.Clients
	places   []place         // where each znode is, by its index in State.Nodes
	slots    []slot          // the queue, from its head
	order    []int32         // how the last picture sorted them
	before   []slot          // room to sort the queue in
	sorting  bySlot          // what is being sorted
	inTree   byPath          // likewise rows
	marks    []mark          // znodes that stand outside the queue, and missing ones that are watched
	rows     []row           // of a tree
	crowded  bool            // most clients are dots
	routes   routing         // how lines find their way
	queueOf  string          // the parent of the queue's znodes
	tabbed   bool            // the holder's card says who is inside
	tabs     int             // how many of an entry say it
	parts    []view.Part     // by client: the most telling of what its znodes are to their siblings
	owned    []int32         // by client: that znode, -1 for none
	watchful map[string]bool // below which somebody watches who is ahead, if watched
	watched  bool            // it has been found out for this picture
	slowed   view.Flight     // the one of a visitor that is planned
	departs  []time.Duration // when each visitor's last request is drawn to leave
	worded   []wordAt        // messages with words
	// lastWord is, by client, the last of these on its link, as an index from 1.
	lastWord []int32
	owners   map[int64]int32 // the clients by their sessions; empty until somebody asks whose one is
	watchers []bool          // by client: it watches the znode that a line leads to
	far      remotes         // what there is at nodes of other systems
	overlay  overlay         // of the server that was planned last
}

// Plan plans the picture of s at the time at, which is not before s.At. The plan is the Layout's, which overwrites it
// with the next one.
func (l *Layout) Plan(s *view.State, at time.Duration, o Options) *Plan {
	l.begin(s, at, o)
	l.measure()
	l.placeBelow()
	switch l.kind {
	case itemsKind:
		l.layoutItems()
	case queueKind, nameKind, barrierKind:
		l.layoutLock()
	case numberedKind:
		l.layoutNumbered()
	case remoteKind:
		l.layoutRemotes()
	default:
		l.layoutTree()
	}
	l.planServers()
	l.planBelow()
	l.planStore()
	l.planStrip()
	l.p.m, l.p.fine = l.m, l.routes.fine
	return &l.p
}

func (l *Layout) begin(s *view.State, at time.Duration, o Options) {
	l.o, l.s = o, s
	l.p.reset(&l.o)
	if o.Still {
		at = s.At
	} else if s.Ended {
		at = min(at, s.At+view.Keep)
	}
	l.at = max(at, s.At)
	s.Order()
	l.spots = resize(l.spots, len(s.Clients))
	l.places = resize(l.places, len(s.Nodes))
	l.slots, l.marks, l.rows = l.slots[:0], l.marks[:0], l.rows[:0]
	l.crowded, l.tabbed, l.tabs, l.routes = false, false, 0, routing{}
	clear(l.owners)
	l.worded, l.lastWord = l.worded[:0], resize(l.lastWord, len(s.Clients))
	l.decide()
	l.findOwning()
	l.findParts()
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

// added is a new last element of a list.
func added[T any](to *[]T) *T {
	var zero T
	*to = append(*to, zero)
	return &(*to)[len(*to)-1]
}

// text is a label, or none if it says nothing.
//
//go:noinline
func text(s string, x, y float64, a face, anchor Anchor, i ink, room float64) label {
	return label{text: s, x: x, y: y, room: room, face: a, anchor: anchor, ink: i, alpha: 1}
}

// middle is a label around x, with its middle height at y.
//
//go:noinline
func middle(s string, x, y float64, a face, i ink, room float64) label {
	return text(s, x, y+a.size*0.36, a, Middle, i, room)
}

func (b label) faded(alpha float64) label {
	b.alpha = alpha
	return b
}

func (l *Layout) wire(x, y, x3, y3 float64, look wireLook) {
	l.p.wires = append(l.p.wires, wire{cubic{x0: x, y0: y, x3: x3, y3: y3}, look})
}
