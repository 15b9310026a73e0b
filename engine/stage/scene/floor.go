package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
)

// floor says where clients and znodes stand, so that lines and messages find them.
type floor struct {
	cast
	box     rect    // ZooKeeper
	spots   []spot  // place of each client, by its index in State.Clients
	places  []place // place of each znode, by its index in State.Nodes
	slots   []slot  // the queue, from its head
	order   []int32 // order of the slots in the last picture
	before  []slot  // scratch space for sorting the queue
	sorting bySlot  // sorter of the queue
	hubs    []hub   // standalone znodes, and missing ones that are watched
	crowded bool    // most clients are dots
	routes  routing // routes of lines
	tabbed  bool    // the holder's card says who is inside
	tabs    int     // number of an entry's tabs that say who is inside
	texts   []label
	wires   []wire
}

func (f *floor) begin(s *view.State, at time.Duration, o Options) {
	f.cast.begin(s, at, o)
	f.spots = resize(f.spots, len(s.Clients))
	f.places = resize(f.places, len(s.Nodes))
	f.slots, f.hubs, f.texts, f.wires = f.slots[:0], f.hubs[:0], f.texts[:0], f.wires[:0]
	f.crowded, f.tabbed, f.tabs, f.routes = false, false, 0, routing{}
}

func (f *floor) wire(x, y, x3, y3 float64, look wireLook) {
	f.wires = append(f.wires, wire{cubic{x0: x, y0: y, x3: x3, y3: y3}, look})
}
