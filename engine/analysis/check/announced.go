package check

import (
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// announced knows which znodes name whom: their writer, by its name or letter, or the program that it is. A client that
// leads must be named by one when it begins; a client that acquired a name, before it goes home or takes another.
type announced struct {
	roles    map[event.Actor]string
	names    map[string]event.Actor // by path, the client that wrote its own name there
	named    map[event.Actor]int    // the number of znodes that name it
	acquired map[event.Actor]acquiredName
}

// acquiredName records that a client got a name by which others are to find it.
type acquiredName struct {
	number int64
	of     string // the path of what it is a name of
	at     time.Duration
	shown  bool
}

func newAnnounced() *announced {
	return &announced{
		roles: make(map[event.Actor]string), names: make(map[string]event.Actor),
		named: make(map[event.Actor]int), acquired: make(map[event.Actor]acquiredName),
	}
}

func (*announced) reads() []event.Kind {
	return []event.Kind{
		event.ClientStarted, event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted,
		event.RecipePhase, event.ClientExited,
	}
}

func (n *announced) append(c *Checker, e event.Event) {
	switch e.Kind {
	case event.ClientStarted:
		n.roles[e.Actor] = e.Text
	case event.ZnodeCreated, event.ZnodeChanged:
		n.write(e)
	case event.ZnodeDeleted:
		n.clearName(e.Path)
	case event.RecipePhase:
		switch program.Phase(e.Text) {
		case program.Leading:
			n.lead(c, e)
		case program.Named:
			n.settle(c, e)
			n.acquired[e.Actor] = acquiredName{number: e.N, of: e.Path, at: e.At}
		}
	case event.ClientExited:
		if e.Code == 0 {
			n.settle(c, e)
		}
	}
}

func (n *announced) write(e event.Event) {
	n.clearName(e.Path)
	called := []string{e.Peer.String(), e.Peer.Letter(), n.roles[e.Peer]}
	if !slices.ContainsFunc(strings.Fields(e.Text), func(word string) bool { return slices.Contains(called, word) }) {
		return
	}
	n.names[e.Path] = e.Peer
	n.named[e.Peer]++
	if k, ok := n.acquired[e.Peer]; ok {
		k.shown = true
		n.acquired[e.Peer] = k
	}
}

// clearName forgets what the znode says, if it names anybody.
func (n *announced) clearName(path string) {
	who, ok := n.names[path]
	if !ok {
		return
	}
	delete(n.names, path)
	if n.named[who]--; n.named[who] == 0 {
		delete(n.named, who)
	}
}

func (n *announced) lead(c *Checker, e event.Event) {
	p := c.client(e.Actor)
	if p == nil || p.session != alive || c.unsure(e.Actor) || n.named[e.Actor] > 0 {
		return
	}
	c.accuse(broken(promise.Announced, e, []event.Actor{e.Actor}, sentence.Of("broken.announced.leads",
		sentence.Client(e.Actor), sentence.Time(e.At))), 1, e.Actor)
}

// settle ends the client's claim.
func (n *announced) settle(c *Checker, e event.Event) {
	k, ok := n.acquired[e.Actor]
	delete(n.acquired, e.Actor)
	if !ok || k.shown || c.unsure(e.Actor) {
		return
	}
	key := "broken.announced.home"
	if e.Kind == event.RecipePhase {
		key = "broken.announced.another"
	}
	c.violate(broken(promise.Announced, e, []event.Actor{e.Actor}, sentence.Of(key,
		sentence.Client(e.Actor), sentence.Number(k.number), sentence.Path(k.of), sentence.Time(k.at),
		sentence.Time(e.At))))
}
