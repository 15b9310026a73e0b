package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
)

// Layout plans pictures. Its zero value is ready to use. Reuse the same Layout: it reuses its memory, and the last
// picture speeds up the next one.
type Layout struct {
	p    Plan
	s    *view.State
	at   time.Duration
	o    Options
	kind kind
	// visitors reports whether any program may be a client, and only contenders report their beliefs. observed reports
	// whether no recipe runs and clients are known only as owners of ephemeral znodes.
	visitors, observed bool
	owning             map[int64]bool // in an observation, the sessions that own something

	labels  map[string]string
	buf     []byte
	scratch []byte

	m        metrics
	box      rect            // ZooKeeper
	spots    []spot          // place of each client, by its index in State.Clients
	places   []place         // place of each znode, by its index in State.Nodes
	slots    []slot          // the queue, from its head
	order    []int32         // order of the slots in the last picture
	before   []slot          // scratch space for sorting the queue
	sorting  bySlot          // sorter of the queue
	inTree   byPath          // sorter of the rows
	marks    []mark          // standalone znodes, and missing ones that are watched
	rows     []row           // rows of a tree
	crowded  bool            // most clients are dots
	routes   routing         // routes of lines
	queueOf  string          // parent of the queue's znodes
	tabbed   bool            // the holder's card says who is inside
	tabs     int             // number of an entry's tabs that say who is inside
	parts    []view.Part     // by client: the most telling role of its znodes among their siblings
	owned    []int32         // by client: the znode with that role, -1 for none
	watchful map[string]bool // parents of znodes whose owner watches its predecessor
	watched  bool            // watchful is up to date
	slowed   view.Flight     // flight of the visitor's request that is being planned
	departs  []time.Duration // departure of each visitor's last drawn request
	worded   []wordAt        // messages with words
	// lastWord is, by client, the last element of worded on its link, as an index from 1.
	lastWord []int32
	owners   map[int64]int32 // clients by session; empty until the first lookup
	watchers []bool          // by client: it watches the znode that a line leads to
	far      remotes         // contents of the nodes of other systems
	overlay  overlay         // overlay of the server that was planned last
}

// Plan plans the picture of s at a time that is not before s.At. The Layout owns the plan and overwrites it with the
// next one.
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

// resize returns s with n zero elements. It reuses the memory if there is enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}

// added appends a zero element to a list and returns it.
func added[T any](to *[]T) *T {
	var zero T
	*to = append(*to, zero)
	return &(*to)[len(*to)-1]
}

// text returns a label, or none if the text is empty.
//
//go:noinline
func text(s string, x, y float64, a face, anchor Anchor, i ink, room float64) label {
	return label{text: s, x: x, y: y, room: room, face: a, anchor: anchor, ink: i, alpha: 1}
}

// middle returns a label centred on x, y.
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
