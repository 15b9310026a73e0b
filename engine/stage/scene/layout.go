package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// Layout plans pictures. Its zero value is ready to use. Reuse the same Layout: it reuses its memory, and the last
// picture speeds up the next one.
type Layout struct {
	p Plan

	floor    floor
	znodes   znodes
	queue    queue
	crowd    crowd
	items    items
	tree     tree
	watches  watches
	clients  clients
	messages messages
	letters  letters
	servers  servers
	remote   remotes
	store    store
	strip    strip
}

// Plan plans the picture of s at a time that is not before s.At. The Layout owns the plan and overwrites it with the
// next one.
func (l *Layout) Plan(s *view.State, at time.Duration, o Options) *Plan {
	l.begin(s, at, o)
	l.measure()
	l.remote.placeBelow()
	switch l.floor.kind {
	case itemsKind:
		l.planItems()
	case queueKind, nameKind, barrierKind:
		l.planQueue()
	case numberedKind:
		l.queue.planNumbered()
	case remoteKind:
		l.planNodes()
	default:
		l.planTree()
	}
	l.servers.planServers()
	l.planNodesBelow()
	l.store.planStore()
	l.strip.planStrip()
	l.p = Plan{Width: o.Width, Height: o.Height, Moving: l.floor.moving, l: l}
	return &l.p
}

func (l *Layout) begin(s *view.State, at time.Duration, o Options) {
	f := &l.floor
	l.connect()
	f.begin(s, at, o)
	l.znodes.begin()
	l.crowd.begin()
	l.clients.begin()
	l.watches.begin()
	l.messages.begin()
	l.letters.begin()
	l.servers.begin()
	l.remote.begin()
	l.store.begin()
	l.strip.begin()
}

// connect lets each picture find what it refers to, since a Layout may have been copied.
func (l *Layout) connect() {
	f := &l.floor
	l.znodes.floor = f
	l.queue.floor, l.queue.znodes = f, &l.znodes
	l.crowd.queue, l.crowd.watches, l.crowd.messages = &l.queue, &l.watches, &l.messages
	l.items.queue = &l.queue
	l.tree.floor, l.tree.znodes = f, &l.znodes
	l.watches.floor = f
	l.clients.floor = f
	l.clients.facts.floor, l.clients.facts.held = f, &l.remote.holdings
	l.messages.floor, l.messages.watches = f, &l.watches
	l.letters.floor = f
	l.servers.connect(f, &l.letters)
	l.remote.connect(f, &l.messages, &l.letters)
	l.store.floor = f
	l.strip.floor = f
}

// planQueue plans the recipes in which each client has one znode, or all clients want the same one.
func (l *Layout) planQueue() {
	f := &l.floor
	f.lineUp(f.kind != barrierKind)
	b, ok := l.queue.bands(len(f.slots))
	if !ok {
		l.planCrowd()
		return
	}
	l.queue.place(b)
	l.znodes.planBox()
	l.znodes.planHub()
	l.queue.planBus(b)
	l.queue.planCards()
	l.clients.planLinks()
	l.watches.planWatches()
	l.clients.planClients()
	l.planMessages()
}

// planCrowd plans more clients than can be read.
func (l *Layout) planCrowd() {
	c := &l.crowd
	l.floor.crowded = true
	c.sizeCrowd()
	c.placeCrowd()
	l.znodes.planBox()
	l.znodes.planHub()
	c.planCrowdBus()
	l.watches.planWatches()
	c.planBundles()
	c.planRest()
	c.planHead()
	l.clients.planLinks()
	c.planRequests()
	l.clients.planClients()
	c.planEvents()
	l.planMessages()
}

// planItems plans a queue of items: the consumers on the left, below its head, and the producers on the right, below
// its end.
func (l *Layout) planItems() {
	q := &l.items
	l.floor.lineUp(true)
	q.sizeItems()
	q.placeItems()
	q.placeGroups()
	l.znodes.planBox()
	l.znodes.planHub()
	q.planItemBus()
	q.planItems()
	l.watches.planWatches()
	l.clients.planLinks()
	l.clients.planClients()
	l.planMessages()
}

// planTree plans a subtree as indented rows. Watches arrive from the right, where no card stands.
func (l *Layout) planTree() {
	l.tree.fillRows()
	l.tree.placeTree()
	l.znodes.planBox()
	l.tree.planRows()
	l.watches.planWatches()
	l.clients.planLinks()
	l.clients.planClients()
	l.planMessages()
}

// planNodes plans nodes of other systems above the clients, in a picture without ZooKeeper.
func (l *Layout) planNodes() {
	l.remote.placeRemotes()
	l.remote.planRemotes()
	l.clients.planClients()
	l.remote.traffic.planRemoteDots()
	l.planMessages()
}

// planNodesBelow plans nodes of other systems below the clients, in a picture with ZooKeeper. Messages to them are
// planned with the others.
func (l *Layout) planNodesBelow() {
	if l.floor.m.remotesH == 0 {
		return
	}
	l.remote.planRemotes()
	l.remote.traffic.planRemoteDots()
}

// planMessages plans the requests and replies under way, and the lost ones.
func (l *Layout) planMessages() {
	l.messages.each(func(m *view.Flight) {
		if m.From.Kind() == event.ANode || m.To.Kind() == event.ANode {
			l.remote.traffic.planRemoteMessage(m)
			return
		}
		l.messages.planMessage(m)
	})
}

// measure finds the sizes of the picture's bands.
func (l *Layout) measure() {
	f := &l.floor
	f.measure()
	m := &f.m
	if l.store.hasStore() {
		m.storeH = l.store.storeHeight() + max(4, 12*m.k)
	}
	if f.hasRemotes() {
		l.remote.gather()
		if f.kind != remoteKind {
			words := m.bold.size*1.3 + m.small.size*2.5
			for level := 2; level >= 0; level-- {
				m.remotesH = 0
				m.remotesH = l.remote.remotesHeight(level)
				if f.inner().h >= l.queue.rowHeight()+words {
					break
				}
			}
		}
	}
	if m.serversH = l.servers.serversHeight(); m.serversH > 0 && f.inner().h < l.queue.rowHeight() {
		m.tight = true
		m.serversH = l.servers.serversHeight()
	}
}
