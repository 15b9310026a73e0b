package bridge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/znode"
)

// Menu lists what can be done to something in the picture.
type Menu struct {
	Title   string
	Actions []Action
}

// Action is one action on a client, a server or a message. The page knows which actions on a client its host supports,
// and their names.
type Action struct {
	_      view.Incomparable
	Kind   fault.Kind
	Client event.Actor
	Target string // what it acts on, as in a written fault; "" for the client itself
	At     string // when, as in a written fault; "" for now
	Label  string // its name here, "" for its usual name
	Back   bool   // it sets a clock back instead of forward
	// Opens is the message whose menu it opens; then it does nothing else.
	Opens event.Seq
}

// To returns what the action acts on, as in a written fault.
func (d *Action) To() string { return cmp.Or(d.Target, d.Client.String()) }

// Own reports whether only the menu offers the action, and not the page's list of actions on a client.
func (d *Action) Own() bool { return d.Target != "" || d.Opens != 0 }

// Span returns what stands before the action's length in a written fault, or "" if it has none.
func (d *Action) Span() string {
	switch {
	case !d.Kind.Lasts():
		return ""
	case d.Back:
		return d.Kind.Span() + " -"
	}
	return d.Kind.Span() + " "
}

// MenuOf returns the menu for a hit in a picture of the state at a time. It has no actions if nothing can be done.
func MenuOf(s *view.State, log panes.History, at time.Duration, hit display.Hit, say panes.Say) Menu {
	if n, ok := panes.ParseServer(hit.ID); ok && hit.Part == display.MessagePart {
		return menuOfLetter(s, log, at, hit.Message, say)
	} else if ok {
		return menuOfServer(s, at, n, say)
	}
	if n, _, ok := panes.ParseNode(hit.ID); ok {
		return menuOfNode(s, at, n, say)
	}
	if hit.Part == display.ServerPart {
		return menuOfZooKeeper(s, at, say)
	}
	who, ok := panes.ParseClient(hit.ID)
	var m Menu
	switch {
	case hit.Part == display.MessagePart:
		m = menuOfMessage(s, log, at, hit.Message, who, say)
	case hit.Part == display.LinkPart:
		m = Menu{say("menu.link", who.Letter()), append(actions(who, fault.Cut, fault.Delay), fromServer(s, who, say)...)}
	case ok:
		m = Menu{say("inspect.client", who.Letter()), slices.Concat(actions(who, fault.ToClients(where(s))...),
			fromServer(s, who, say), messages(s, say, func(f *view.Flight) bool { return f.From == who || f.To == who }))}
	case strings.HasPrefix(hit.ID, "/"):
		m, who = menuOfZnode(s, hit.ID, say)
	}
	traits := s.Header.Host.Traits()
	if c := s.Clients.Get(who); c == nil || !traits.Recipe && c.Role != program.Contender {
		return Menu{}
	}
	for i := range m.Actions {
		if d := &m.Actions[i]; traits.Computed && d.At == "" && d.Opens == 0 {
			d.At = millisecond(at).String()
		}
	}
	return m
}

// where returns the kind of system that the state's run uses.
func where(s *view.State) fault.Where {
	return fault.WhereOn(s.Header.HasZooKeeper(), len(s.Remotes.Nodes) > 0)
}

// menuOfNode offers actions on a node of another system, those on its replicas only if it has some.
func menuOfNode(s *view.State, at time.Duration, n int, say panes.Say) Menu {
	traits := s.Header.Host.Traits()
	if n > len(s.Remotes.Nodes) || !traits.Computed {
		return Menu{}
	}
	self := event.Node(n)
	sys, _ := s.Header.SystemOf(self)
	m := Menu{Title: say("inspect.node", strconv.Itoa(n))}
	for _, k := range fault.ToNodes() {
		if k.TakesReplicas() && !sys.Replicated() {
			continue
		}
		m.Actions = append(m.Actions, Action{Kind: k, Target: self.String(), At: millisecond(at).String(),
			Label: say("fault.node." + k.String())})
	}
	return m
}

func actions(who event.Actor, kinds ...fault.Kind) (all []Action) {
	for _, k := range kinds {
		all = append(all, Action{Kind: k, Client: who})
	}
	return all
}

// menuOfMessage offers what can be done to a message of a client. Where it can't be struck itself, its link can be cut,
// and a reply lost.
func menuOfMessage(s *view.State, log panes.History, at time.Duration, seq event.Seq, who event.Actor,
	say panes.Say) Menu {
	for i := range s.Flights.List {
		m := &s.Flights.List[i]
		if m.Seq != seq {
			continue
		}
		var all []Action
		name, named := nameOf(s, log, seq)
		if named && !m.Over {
			all = strikes(name, m, at, say)
		}
		if m.Op != event.Connect && !(named && m.Reply) { // handshakes aren't lost; such a reply can be struck itself
			all = append(all, loss(s, m, who, say))
		}
		all = append(all, actions(who, fault.Delay, fault.Cut)...)
		if m.Reply {
			return Menu{say("menu.reply", who.Letter(), m.Op.String()), all}
		}
		return Menu{say("menu.request", who.Letter(), m.Op.String()), all}
	}
	return Menu{}
}

// loss returns the loss of the reply to a request, if it is the next to be answered, else of the next reply.
func loss(s *view.State, m *view.Flight, who event.Actor, say panes.Say) Action {
	d := Action{Kind: fault.Drop, Client: who}
	if !m.Reply && isNext(s, m) {
		d.Label = say("menu.lose.answer")
	}
	return d
}

// isNext reports whether no earlier request of the client is under way.
func isNext(s *view.State, request *view.Flight) bool {
	for i := range s.Flights.List {
		m := &s.Flights.List[i]
		if m.From == request.From && !m.Reply && !m.Over && m.Seq < request.Seq && m.Op != event.Ping {
			return false
		}
	}
	return true
}

// menuOfZnode offers to expire the session that owns an ephemeral znode.
func menuOfZnode(s *view.State, path string, say panes.Say) (Menu, event.Actor) {
	n := s.Tree.Node(path)
	if n == nil || n.Gone || n.Owner == 0 {
		return Menu{}, 0
	}
	for i := range s.Clients {
		if s.Clients[i].Session == n.Owner {
			who := event.Actor(i + 1)
			all := actions(who, fault.Expire)
			all[0].Label = say("menu.expire", who.Letter())
			return Menu{say("menu.znode", panes.Short(path), who.Letter()), all}, who
		}
	}
	return Menu{}, 0
}

// menuOfZooKeeper offers actions on the only server.
func menuOfZooKeeper(s *view.State, at time.Duration, say panes.Say) Menu {
	if !s.Header.Host.Traits().Computed {
		return Menu{}
	}
	m := Menu{Title: znode.ZooKeeper}
	for _, k := range fault.Kinds() {
		if k.Target() == fault.ToServer {
			m.Actions = append(m.Actions, Action{Kind: k, Target: "server", At: millisecond(at).String(), Back: k.Sets(),
				Label: say("fault.server." + k.String())})
		}
	}
	return m
}

// menuOfServer offers actions on a server of an ensemble. A server that is down can be cut off and started.
func menuOfServer(s *view.State, at time.Duration, n int, say panes.Say) Menu {
	traits := s.Header.Host.Traits()
	if n > len(s.Ensemble.Servers) || !traits.Machines {
		return Menu{}
	}
	name := event.Server(n).String()
	m := Menu{Title: say("inspect.server", strconv.Itoa(n))}
	for _, k := range fault.EnsembleKinds() {
		d := Action{Kind: k, Target: name, Back: k.Sets(), Label: say("fault.server." + k.String())}
		if traits.Computed {
			d.At = millisecond(at).String()
		}
		switch {
		case k.Sets() && !traits.Computed: // only simulated clocks can be set
			continue
		case k.Sets(): // up or down, a machine has its clock
		case k.Target() == fault.ToSides:
			d.Target += " |"
			for i := range s.Ensemble.Servers {
				if i+1 != n {
					d.Target += " " + event.Server(i+1).String()
				}
			}
		case k.Target() != fault.ToOneServer || s.Ensemble.Servers[n-1].Up == (k == fault.StartServer):
			continue
		}
		m.Actions = append(m.Actions, d)
	}
	m.Actions = append(m.Actions, messages(s, say, func(f *view.Flight) bool { return f.From == event.Server(n) })...)
	return m
}

// messages leads to the menus of some of the messages that are under way, for a reader without a pointer.
func messages(s *view.State, say panes.Say, of func(*view.Flight) bool) (all []Action) {
	if !s.Header.Host.Traits().Computed {
		return nil
	}
	for i := range s.Flights.List {
		f := &s.Flights.List[i]
		if !named(f) || !of(f) {
			continue
		}
		label := say("menu.message", f.Op.String(), strconv.Itoa(f.To.Number()))
		switch {
		case f.From.Kind() == event.AClient:
			label = say("menu.message.request", f.Op.String())
		case f.Reply:
			label = say("menu.message.reply", f.Op.String())
		}
		all = append(all, Action{Opens: f.Seq, Label: label})
	}
	return all
}

// named reports whether a message is on its way that can have a name.
func named(f *view.Flight) bool {
	e := event.Event{Kind: event.MsgSent, Actor: f.From, Peer: f.To, Op: f.Op}
	if f.From.Kind() == event.AClient {
		e.Kind = event.OpSent
	}
	_, ok := fault.Of(e)
	return ok && !f.Over && !f.Notify
}

// menuOfLetter offers actions on a message between servers.
func menuOfLetter(s *view.State, log panes.History, at time.Duration, seq event.Seq, say panes.Say) Menu {
	for i := range s.Flights.List {
		f := &s.Flights.List[i]
		if f.Seq != seq || f.Over {
			continue
		}
		if name, ok := nameOf(s, log, seq); ok {
			title := say("menu.letter", f.Op.String(), strconv.Itoa(f.From.Number()), strconv.Itoa(f.To.Number()))
			return Menu{title, strikes(name, f, at, say)}
		}
	}
	return Menu{}
}

// nameOf returns the name of the message that an event sends, if it has one and can be struck.
func nameOf(s *view.State, log panes.History, seq event.Seq) (fault.Message, bool) {
	if log == nil || !s.Header.Host.Traits().Computed {
		return fault.Message{}, false
	}
	name, ok := fault.Of(log.Event(int(seq) - 1))
	nth := 0
	for i := range int(seq) {
		if m, _ := fault.Of(log.Event(i)); ok && m == name {
			nth++
		}
	}
	name.Nth = nth
	return name, ok
}

// strikes returns the actions on a message that has a name.
func strikes(name fault.Message, f *view.Flight, at time.Duration, say panes.Say) (all []Action) {
	when := millisecond(at)
	if when <= f.Sent || when >= f.Arrives() {
		when = at + 1 // whole milliseconds don't hit it
	}
	for _, k := range fault.ToMessages() {
		all = append(all, Action{Kind: k, Target: name.String(), At: when.String(),
			Label: say("fault.message." + k.String())})
	}
	return all
}

// fromServer offers to cut a client off from its server.
func fromServer(s *view.State, who event.Actor, say panes.Say) []Action {
	c := s.Clients.Get(who)
	if c == nil || c.Server.Kind() != event.AServer || !s.Header.Host.Traits().Computed {
		return nil
	}
	return []Action{{Kind: fault.CutServer, Client: who, Target: who.String() + " from " + c.Server.String(),
		Label: say("fault.client.server", strconv.Itoa(c.Server.Number()))}}
}
