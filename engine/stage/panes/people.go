package panes

import (
	"cmp"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// people puts clients, sessions and owners of znodes into words.
type people struct {
	state *view.State
	say   Say
}

// whose returns the client with a session, if the log has it.
func (p *people) whose(session int64) (Who, *view.Client) {
	for i := range p.state.Clients {
		if c := &p.state.Clients[i]; session != 0 && c.Session == session {
			return p.say.who(event.Actor(i + 1)), c
		}
	}
	return Who{}, nil
}

// chip returns the client with a session, or the session.
func (p *people) chip(session int64) Piece {
	if who, _ := p.whose(session); who.Label != "" {
		return Piece{Who: who}
	}
	return Piece{Text: p.session(session)}
}

// session returns a session's ID, or says that there is none.
func (p *people) session(id int64) string {
	if id == 0 {
		return p.say("hands.ownerless")
	}
	return hex(id)
}

// name returns the name of a session for a sentence.
func (p *people) name(session int64) string {
	c := p.chip(session)
	return c.Who.Label + c.Text
}

// owner describes the owner of a znode, with all that is known if whole is true.
func (p *people) owner(path string, whole bool) Piece {
	n := p.state.Tree.Node(path)
	if n == nil {
		return Piece{Text: Short(path)}
	}
	if !whole {
		return p.chip(n.Owner)
	}
	who, c := p.whose(n.Owner)
	parts := []string{p.session(n.Owner)}
	if c != nil {
		if from := cmp.Or(c.Address, c.Role); from != "" {
			parts = append(parts, clean(from))
		}
	}
	parts = append(parts, Short(n.Path))
	if n.Data != "" {
		parts = append(parts, p.say("holding.data", cleanTo(n.Data, maxValue)))
	}
	return Piece{Who: who, Text: strings.Join(parts, " · ")}
}

// more counts the omitted ones.
func (p *people) more(n int) []Piece {
	if n <= 0 {
		return nil
	}
	return []Piece{{Text: p.say("hands.more", sentence.Grouped(n))}}
}

// together returns the owners of znodes that wait for the same one.
func (p *people) together(nodes []*view.Node) (all []Piece) {
	for _, n := range nodes[:min(len(nodes), maxHolders)] {
		all = append(all, p.owner(n.Path, false))
	}
	return append(all, p.more(len(nodes)-maxHolders)...)
}

// hand names those who lost or got it in a turn.
func (p *people) hand(changes []handover.Change) (all []Piece) {
	for _, c := range changes[:min(len(changes), maxHolders)] {
		all = append(all, p.chip(c.Hand.Session))
	}
	return append(all, p.more(len(changes)-maxHolders)...)
}
