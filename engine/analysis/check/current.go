package check

import (
	"maps"
	"path"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// current compares what followers have seen of something with what became of it. Both come from the server's
// account: the zxid of the look that a follower reports, and that of the last change. A client that stops following
// because it has seen everything must be right about that; one that gives up need not be.
//
// For that to mean anything everybody has to take part: nobody reports as published what it has not written, and
// nobody goes home without having written, seen or given up something.
type current struct {
	looks   looks
	changed map[string]event.Event // the last change of a znode's data or children, by its path
	views   map[string]map[event.Actor]view
	wrote   map[event.Actor]string // the znode of its last write, unless reported as published
	active  map[event.Actor]bool   // has written, seen or given up something
}

// view is a follower's knowledge of something.
type view struct {
	zxid int64
	at   time.Duration
}

func newCurrent() *current {
	return &current{
		looks: make(looks), changed: make(map[string]event.Event), views: make(map[string]map[event.Actor]view),
		wrote: make(map[event.Actor]string), active: make(map[event.Actor]bool),
	}
}

func (*current) reads() []event.Kind {
	return []event.Kind{
		event.OpDone, event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted, event.RecipePhase,
		event.RunEnded,
	}
}

func (u *current) append(c *Checker, e event.Event) {
	u.looks.append(e)
	switch e.Kind {
	case event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted:
		u.change(e)
	case event.RecipePhase:
		u.phase(c, e)
	case event.RunEnded:
		u.end(c, e)
	}
}

func (u *current) change(e event.Event) {
	if e.Peer == event.ZooKeeper { // the host sets up and cleans up
		return
	}
	followed := path.Dir(e.Path)
	switch e.Kind {
	case event.ZnodeDeleted:
		delete(u.changed, e.Path)
	case event.ZnodeChanged:
		followed = e.Path
		fallthrough
	default:
		u.wrote[e.Peer], u.active[e.Peer] = e.Path, true
	}
	if e.Zxid >= u.changed[followed].Zxid {
		u.changed[followed] = e
	}
}

func (u *current) phase(c *Checker, e event.Event) {
	switch program.Phase(e.Text) {
	case program.Published:
		u.publish(c, e)
	case program.GaveUp:
		u.active[e.Actor] = true
	case program.Saw:
		u.active[e.Actor] = true
		if u.views[e.Path] == nil {
			u.views[e.Path] = make(map[event.Actor]view)
		}
		u.views[e.Path][e.Actor] = view{u.looks.zxid(c, e.Actor, e.Path), e.At}
	}
}

// publish compares the report with what the client has written since its last one.
func (u *current) publish(c *Checker, e event.Event) {
	wrote := u.wrote[e.Actor]
	delete(u.wrote, e.Actor)
	if wrote == e.Path || path.Dir(wrote) == e.Path || c.unsure(e.Actor) {
		return
	}
	v := broken(promise.Current, e, []event.Actor{e.Actor}, sentence.Of("broken.current.unwritten",
		sentence.Client(e.Actor), sentence.Number(e.N), sentence.Path(e.Path), sentence.Time(e.At)))
	v.How = promise.Unwritten
	c.violate(v)
}

func (u *current) end(c *Checker, e event.Event) {
	if !promise.Over(e) {
		return
	}
	u.idle(c)
	for _, followed := range slices.Sorted(maps.Keys(u.views)) {
		views, last := u.views[followed], u.changed[followed]
		behind := slices.DeleteFunc(actorsOf(views), func(a event.Actor) bool {
			return views[a].zxid >= last.Zxid || !c.satisfied(a) && !(promise.Unfinished(e) && c.client(a).waits())
		})
		if len(behind) == 0 {
			continue
		}
		first := behind[0]
		v := promise.Violation{Rule: promise.Current, At: e.At, Seq: e.Seq, Clients: listed(behind)}
		if p := c.client(first); p.left != 0 { // whichever came later is the proof
			v.At, v.Seq = max(p.leftAt, last.At), max(p.left, last.Seq)
		}
		v.Sentence = sentence.Of(news(last), sentence.Clients(behind), sentence.Path(followed), sentence.Client(first),
			sentence.Time(views[first].at), sentence.Client(last.Peer), sentence.Path(last.Path), sentence.Time(last.At))
		c.violate(v)
	}
}

// idle looks for those that went home without having done anything.
func (u *current) idle(c *Checker) {
	for i := range c.clients {
		a := event.Actor(i + 1)
		p := c.client(a)
		if p.left == 0 || u.active[a] || c.unsure(a) {
			continue
		}
		c.violate(promise.Violation{
			Rule: promise.Current, At: p.leftAt, Seq: p.left, Clients: []event.Actor{a},
			Sentence: sentence.Of("broken.current.idle", sentence.Client(a), sentence.Time(p.leftAt)),
		})
	}
}

// news returns the sentence for clients that missed a change of what they follow.
func news(e event.Event) string {
	switch e.Kind {
	case event.ZnodeCreated:
		return "broken.current.created"
	case event.ZnodeDeleted:
		return "broken.current.deleted"
	}
	return "broken.current.changed"
}
