package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/client"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/message"
	"github.com/zkviz/zkviz/engine/stage/scene/queue"
	"github.com/zkviz/zkviz/engine/stage/scene/remote"
	"github.com/zkviz/zkviz/engine/stage/scene/servers"
	"github.com/zkviz/zkviz/engine/stage/scene/store"
	"github.com/zkviz/zkviz/engine/stage/scene/strip"
	"github.com/zkviz/zkviz/engine/stage/scene/transcript"
	"github.com/zkviz/zkviz/engine/stage/scene/tree"
	"github.com/zkviz/zkviz/engine/stage/scene/watch"
	"github.com/zkviz/zkviz/engine/stage/scene/znode"
)

// Layout plans pictures. Its zero value is ready to use. Reuse the same Layout: it reuses its memory, and the last
// picture speeds up the next one.
type Layout struct {
	p Plan

	floor      floor.Floor
	znodes     znode.Znodes
	queue      queue.Queue
	crowd      queue.Crowd
	items      queue.Items
	tree       tree.Tree
	watches    watch.Watches
	clients    client.Clients
	messages   message.Messages
	letters    message.Letters
	servers    servers.Servers
	remote     remote.Remotes
	transcript transcript.Transcript
	store      store.Store
	strip      strip.Strip
}

// Plan plans the picture of s at a time that is not before s.At. The Layout owns the plan and overwrites it with the
// next one.
func (l *Layout) Plan(s *view.State, at time.Duration, o Options) *Plan {
	l.begin(s, at, o)
	l.measure()
	l.remote.PlaceBelow()
	switch l.floor.Kind {
	case floor.ItemsKind:
		l.planItems()
	case floor.QueueKind, floor.NameKind, floor.BarrierKind:
		l.planQueue()
	case floor.NumberedKind:
		l.queue.PlanNumbered()
	case floor.RemoteKind:
		l.planNodes()
	default:
		l.planTree()
	}
	l.servers.Plan()
	l.planNodesBelow()
	l.store.Plan()
	l.strip.Plan()
	l.p = Plan{Width: o.Width, Height: o.Height, Moving: l.floor.Moving, l: l}
	return &l.p
}

func (l *Layout) begin(s *view.State, at time.Duration, o Options) {
	f := &l.floor
	l.connect()
	f.Begin(s, at, o)
	l.znodes.Begin()
	l.crowd.Begin()
	l.clients.Begin()
	l.watches.Begin()
	l.messages.Begin()
	l.letters.Begin()
	l.servers.Begin()
	l.remote.Begin()
	l.transcript.Begin()
	l.store.Begin()
	l.strip.Begin()
}

// connect lets each picture find what it refers to, since a Layout may have been copied.
func (l *Layout) connect() {
	f := &l.floor
	l.znodes.Connect(f)
	l.queue.Connect(f, &l.znodes)
	l.crowd.Connect(&l.queue, &l.watches, &l.messages)
	l.items.Connect(&l.queue)
	l.tree.Connect(f, &l.znodes)
	l.watches.Connect(f)
	l.clients.Connect(f, &l.remote.Holdings, &l.watches)
	l.messages.Connect(f, &l.watches)
	l.letters.Connect(f)
	l.servers.Connect(f, &l.letters)
	l.remote.Connect(f, &l.messages, &l.letters)
	l.transcript.Connect(f)
	l.store.Connect(f)
	l.strip.Connect(f)
}

// planQueue plans the recipes in which each client has one znode, or all clients want the same one.
func (l *Layout) planQueue() {
	f := &l.floor
	f.LineUp(f.Kind != floor.BarrierKind)
	b, ok := l.queue.Bands(len(f.Slots))
	if !ok {
		l.planCrowd()
		return
	}
	l.queue.Place(b)
	l.znodes.PlanBox()
	l.znodes.PlanHub()
	l.queue.PlanBus(b)
	l.queue.PlanCards()
	l.watches.Plan()
	l.clients.PlanLinks()
	l.clients.Plan()
	l.planMessages()
}

// planCrowd plans more clients than can be read.
func (l *Layout) planCrowd() {
	c := &l.crowd
	l.floor.Crowded = true
	c.Divide()
	c.Arrange()
	l.znodes.PlanBox()
	l.znodes.PlanHub()
	c.PlanCrowdBus()
	l.watches.Plan()
	c.PlanBundles()
	c.PlanRest()
	c.PlanHead()
	l.clients.PlanLinks()
	c.PlanRequests()
	l.clients.Plan()
	c.PlanEvents()
	l.planMessages()
}

// planItems plans a queue of items: the consumers on the left, below its head, and the producers on the right, below
// its end.
func (l *Layout) planItems() {
	q := &l.items
	l.floor.LineUp(true)
	q.Divide()
	q.Arrange()
	q.PlaceGroups()
	l.znodes.PlanBox()
	l.znodes.PlanHub()
	q.PlanItemBus()
	q.Plan()
	l.watches.Plan()
	l.clients.PlanLinks()
	l.clients.Plan()
	l.planMessages()
}

// planTree plans a subtree as indented rows. Watches arrive from the right, where no card stands.
func (l *Layout) planTree() {
	l.tree.Fill()
	l.tree.Place()
	l.znodes.PlanBox()
	l.tree.Plan()
	l.watches.Plan()
	l.clients.PlanLinks()
	l.clients.Plan()
	l.planMessages()
}

// planNodes plans nodes of other systems above the clients, in a picture without ZooKeeper.
func (l *Layout) planNodes() {
	l.remote.Place()
	l.remote.Plan()
	l.clients.Plan()
	l.remote.PlanDots()
	l.planMessages()
	l.transcript.Plan()
}

// planNodesBelow plans nodes of other systems below the clients, in a picture with ZooKeeper. Messages to them are
// planned with the others.
func (l *Layout) planNodesBelow() {
	if l.floor.Sizes.RemotesH == 0 {
		return
	}
	l.remote.Plan()
	l.remote.PlanDots()
}

// planMessages plans the requests and replies under way, and the lost ones.
//
//go:noinline
func (l *Layout) planMessages() {
	l.messages.Each(func(m *view.Flight) {
		if m.From.Kind() == event.ANode || m.To.Kind() == event.ANode {
			l.remote.PlanMessage(m)
			return
		}
		l.messages.PlanMessage(m)
	})
	l.messages.ClearCuts()
}

// measure finds the sizes of the picture's bands.
func (l *Layout) measure() {
	f := &l.floor
	f.Measure()
	m := &f.Sizes
	if l.store.HasStore() {
		m.StoreH = l.store.Height() + max(4, 12*m.K)
	}
	if h := l.transcript.Height(); h > 0 {
		m.StoreH += h - 5*m.K
	}
	if f.HasRemotes() {
		l.remote.Gather()
		if f.Kind != floor.RemoteKind {
			words := m.Bold.Size*1.3 + m.Small.Size*2.5
			for level := 2; level >= 0; level-- {
				m.RemotesH = 0
				m.RemotesH = l.remote.Height(level)
				if f.Inner().H >= l.queue.RowHeight()+words {
					break
				}
			}
		}
	}
	if f.Options.Without&mark.ServerTerm == 0 && len(f.State.Ensemble.Servers) > 0 {
		l.measureServers()
	}
}

// measureServers gives the servers' table the height that a queue leaves, with the clients' words if it can.
func (l *Layout) measureServers() {
	f := &l.floor
	m, words := &f.Sizes, f.Sizes.Bold.Size*1.3+f.Sizes.Small.Size*2.5
	free := f.Inner().H - l.queue.RowHeight()
	for _, room := range [...]float64{free - words, free} {
		var roomy bool
		if m.ServersH, roomy = l.servers.Height(room); roomy && m.ServersH <= room {
			return
		}
	}
	m.Tight, m.ServersH = true, 0
	m.ServersH, _ = l.servers.Height(min(f.Inner().H-l.queue.RowHeight(), f.Inner().H*0.4))
}
