package check

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// newest compares what clients see with what was reported as published when they asked: by then somebody outside of
// ZooKeeper may know it, and send others to look. A client asks with its first request since its last report, so
// what it does before it reads is part of its asking.
type newest struct {
	rule  string
	looks looks
	wrote map[event.Actor]event.Event // its last write
	known map[string][]published
	asked map[event.Actor]query
}

// published is a version that was reported as published.
type published struct {
	event.Event       // the report
	zxid        int64 // the write's
}

// query tells since when a client asks, zero if it doesn't.
type query struct {
	seq event.Seq
	at  time.Duration
}

// maxPublished is how many reports on a znode are remembered. They also judge a client that is further behind.
const maxPublished = 16

func newNewest(rule string) *newest {
	return &newest{rule: rule, looks: make(looks), wrote: make(map[event.Actor]event.Event),
		known: make(map[string][]published), asked: make(map[event.Actor]query)}
}

func (*newest) reads() []event.Kind {
	return []event.Kind{
		event.OpDone, event.OpSent, event.ZnodeCreated, event.ZnodeChanged, event.RecipePhase,
	}
}

func (u *newest) append(c *Checker, e event.Event) {
	u.looks.append(e)
	switch e.Kind {
	case event.OpSent:
		if u.asked[e.Actor].seq == 0 {
			u.asked[e.Actor] = query{e.Seq, e.At}
		}
	case event.ZnodeCreated, event.ZnodeChanged:
		u.wrote[e.Peer] = e
	case event.RecipePhase:
		switch program.Phase(e.Text) {
		case program.Published:
			u.publish(c, e)
		case program.Saw:
			u.see(c, e)
		}
		delete(u.asked, e.Actor)
	}
}

func (u *newest) publish(c *Checker, e event.Event) {
	p := published{e, u.wrote[e.Actor].Zxid}
	if u.wrote[e.Actor].Path != e.Path {
		p.zxid = u.looks.zxid(c, e.Actor, e.Path)
	}
	list := u.known[e.Path]
	if len(list) > 0 && e.N <= list[len(list)-1].N {
		return
	}
	if len(list) == maxPublished {
		list = append(list[:0], list[1:]...)
	}
	u.known[e.Path] = append(list, p)
}

func (u *newest) see(c *Checker, e event.Event) {
	asked := u.asked[e.Actor]
	for _, p := range u.known[e.Path] {
		switch {
		case p.N <= e.N:
			continue
		case p.Seq > asked.seq:
			return
		case u.rule == promise.CaughtUp && epochOf(p.zxid) > epochOf(u.looks.zxid(c, e.Actor, e.Path)):
			return // another leader published it than the one from which the client learned
		}
		key := "broken.newest"
		if u.rule == promise.CaughtUp {
			key = "broken.caught-up"
		}
		c.violate(broken(u.rule, e, []event.Actor{e.Actor, p.Actor}, sentence.Of(key,
			sentence.Client(e.Actor), sentence.Time(asked.at), sentence.Number(e.N), sentence.Path(e.Path),
			sentence.Client(p.Actor), sentence.Number(p.N), sentence.Time(p.At))))
		return
	}
}
