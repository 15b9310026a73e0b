package story

import (
	"cmp"
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/static/strings/words"
)

// The least distance of two lanes in px: wide enough for a bar and a word, or for the names of columns.
const (
	leastAcross = 24
	leastDown   = 30
)

// maxServers is the most servers, nodes and stores that get lanes.
const maxServers = 9

// chooseLanes decides who gets a lane: servers first, then clients by number, then what they write to. If there are
// too many clients, those have one that are inside at some time, then those about whom there is most to draw.
func (p *Plan) chooseLanes(r *reader, cast []Lane) {
	room := int((p.Height - topAcross - bottomAcross) / leastAcross)
	if p.Down {
		room = int((p.Width - leftDown) / leastDown)
	}
	if 0 < len(cast) && len(cast) <= room {
		p.Lanes = slices.Clone(cast)
		p.keepLaned()
		return
	}
	s := r.state
	servers, clients, stores := p.servers(s), p.busy(), p.stores(s)
	room = max(room-len(servers)-len(stores), 1)
	all := 0
	for i := range s.Clients {
		if s.Clients[i].Started || s.Clients[i].Session != 0 {
			all++
		}
	}
	if len(clients) > room {
		clients = clients[:room]
	}
	slices.Sort(clients)
	p.Hidden = max(all-len(clients), 0)
	p.Lanes = p.lanesOf(s, servers, clients, stores)
	p.keepLaned()
}

// lanesOf returns lanes for lists of actors, without their places.
func (p *Plan) lanesOf(s *view.State, lists ...[]event.Actor) (lanes []Lane) {
	for _, a := range slices.Concat(lists...) {
		l := Lane{Actor: a, Whole: p.nameOf(a, s), Index: -1}
		if a.Kind() == event.AClient {
			l.Index = int(a) - 1
		}
		lanes = append(lanes, l)
	}
	return lanes
}

// castOf returns lanes for everybody that a log knows of by now: all that its windows may have.
func castOf(s *view.State, w words.Words) []Lane {
	p := &Plan{words: w}
	var clients, stores []event.Actor
	for i := range s.Clients {
		if s.Clients[i].Started || s.Clients[i].Session != 0 {
			clients = append(clients, event.Actor(i+1))
		}
	}
	for i := range s.Stores {
		stores = append(stores, event.Store(i+1))
	}
	return p.lanesOf(s, p.servers(s), clients, stores[:min(len(stores), maxServers)])
}

// servers lists the systems' lanes.
func (p *Plan) servers(s *view.State) (list []event.Actor) {
	whole := s.Header.HasZooKeeper() && len(s.Ensemble.Servers) == 0
	for i := range p.Messages {
		m := &p.Messages[i]
		whole = whole || m.From == event.ZooKeeper || m.To == event.ZooKeeper
	}
	if whole {
		list = append(list, event.ZooKeeper)
	}
	for i := range s.Ensemble.Servers {
		list = append(list, event.Server(i+1))
	}
	for i := range s.Remotes.Nodes {
		list = append(list, event.Node(i+1))
	}
	return list[:min(len(list), maxServers)]
}

// stores lists the stores that the window's clients write to.
func (p *Plan) stores(s *view.State) (list []event.Actor) {
	for i := range s.Stores {
		a := event.Store(i + 1)
		if slices.ContainsFunc(p.Marks, func(m Mark) bool { return m.Actor == a }) {
			list = append(list, a)
		}
	}
	return list[:min(len(list), maxServers)]
}

// busy lists the clients that do something in the window, those that matter most first.
func (p *Plan) busy() []event.Actor {
	weight := map[event.Actor]int{}
	note := func(a event.Actor, n int) {
		if a.Kind() == event.AClient {
			weight[a] += n
		}
	}
	for i := range p.Messages {
		note(p.Messages[i].From, 1)
		note(p.Messages[i].To, 1)
	}
	for i := range p.Marks {
		note(p.Marks[i].Actor, 10)
		note(p.Marks[i].Peer, 10)
	}
	for i := range p.Bars {
		switch b := &p.Bars[i]; b.Kind {
		case Inside, Believes, Thinks, Paused, Stalled:
			note(b.Actor, 1000)
		}
	}
	var list []event.Actor
	for a := range weight {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b event.Actor) int { return cmp.Or(weight[b]-weight[a], int(a-b)) })
	return list
}

// nameOf returns the name of a lane. Names of stores come from anybody.
func (p *Plan) nameOf(a event.Actor, s *view.State) string {
	w := p.words
	switch a.Kind() {
	case event.ASystem:
		return w.Say("system.zookeeper")
	case event.AClient:
		return a.Letter()
	case event.AServer:
		return "S" + a.String()[len("server-"):]
	case event.AStore:
		if name := s.Stores[a.Number()-1].Name; name != "" {
			return string(text.Clean(nil, name))
		}
		return w.Say("scene.store")
	}
	y, _ := s.Header.SystemOf(a)
	name := w.Say("scene.system")
	if key := "scene.system." + string(y.Kind); w.Has(key) {
		name = w.Say(key)
	}
	if len(s.Remotes.Nodes) > 1 {
		name += " " + a.String()[len("node-"):]
	}
	return name
}

// lane returns the index of an actor's lane, or -1. What a whole ensemble says is on its first server's.
func (p *Plan) lane(a event.Actor) int {
	for i := range p.Lanes {
		if p.Lanes[i].Actor == a {
			return i
		}
	}
	if a == event.ZooKeeper && len(p.Lanes) > 0 && p.Lanes[0].Actor.Kind() == event.AServer {
		return 0
	}
	return -1
}

// keepLaned drops what has no lane.
func (p *Plan) keepLaned() {
	p.Messages = slices.DeleteFunc(p.Messages, func(m Message) bool { return p.lane(m.From) < 0 || p.lane(m.To) < 0 })
	p.Bars = slices.DeleteFunc(p.Bars, func(b Bar) bool {
		return p.lane(b.Actor) < 0 || b.Kind == Apart && p.lane(b.Peer) < 0
	})
	p.Marks = slices.DeleteFunc(p.Marks, func(m Mark) bool { return p.lane(m.Actor) < 0 })
	for i := range p.Bars {
		p.Bars[i].Lane = p.lane(p.Bars[i].Actor)
	}
	for i := range p.Marks {
		p.Marks[i].Lane = p.lane(p.Marks[i].Actor)
	}
}
