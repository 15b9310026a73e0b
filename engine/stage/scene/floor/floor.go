package floor

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Floor says where clients and znodes stand, so that lines and messages find them.
type Floor struct {
	cast
	Box     geom.Rect // ZooKeeper
	Spots   []Spot    // place of each client, by its index in State.Clients
	Places  []Place   // place of each znode, by its index in Tree.Nodes
	Slots   []Slot    // the queue, from its head
	order   []int32   // order of the slots in the last picture
	before  []Slot    // scratch space for sorting the queue
	sorting bySlot    // sorter of the queue
	Hubs    []Hub     // standalone znodes, and missing ones that are watched
	Crowded bool      // most clients are dots
	Routes  Routing   // routes of lines
	Tabbed  bool      // the holder's card says who is inside
	Tabs    int       // number of an entry's tabs that say who is inside
	Texts   []text.Label
	Wires   []paint.Wire
}

// Begin takes in a state, and forgets where things stood.
func (f *Floor) Begin(s *view.State, at time.Duration, o Options) {
	f.cast.begin(s, at, o)
	f.Spots = append(f.Spots[:0], make([]Spot, len(s.Clients))...)
	f.Places = append(f.Places[:0], make([]Place, len(s.Tree.Nodes))...)
	f.Slots, f.Hubs, f.Texts, f.Wires = f.Slots[:0], f.Hubs[:0], f.Texts[:0], f.Wires[:0]
	f.Crowded, f.Tabbed, f.Tabs, f.Routes = false, false, 0, Routing{}
}

// Wire plans a line.
func (f *Floor) Wire(x, y, x3, y3 float64, look paint.WireLook) {
	f.Wires = append(f.Wires, paint.Wire{Cubic: geom.Cubic{X0: x, Y0: y, X3: x3, Y3: y3}, Look: look})
}

// Routing says how lines get from the clients to the znodes without crossing the cards: through the gutters between the
// columns.
type Routing struct {
	_               view.Incomparable
	Rows, Cols      int
	Left, Pitch     float64
	CardTop         float64
	ClientTop       float64 // top of the first row
	Solo            bool    // one card alone: nothing is in the way
	Tree            bool    // lines arrive from the right
	More            bool    // not all rows of the tree are drawn, which it says
	TreeX, TreeStep float64
	Fine            bool // many lines: thin lines, small pulses
	Free            bool // cards stand anywhere in one row: lines take the nearest gap
}

// EyeR returns the radius of the eye at the end of a watch's line.
func (f *Floor) EyeR() float64 {
	return min(max(4, 5.5*f.Sizes.K), max(3, f.Routes.Pitch*0.12))
}
