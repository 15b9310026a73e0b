package fault

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Message names a message: the Nth with this Op that From has sent to To in the run, from 1. Since a run's log is
// always the same, so is what a name stands for. From and To are two servers of an ensemble, or a client and a node, or
// a client and ZooKeeper, whichever server of it the client is connected to.
type Message struct {
	Op       event.Op
	Nth      int
	From, To event.Actor
}

// toWord precedes whom a message goes to.
const toWord = "to"

// String returns the message's name, as in "PROPOSAL 2 from server-3 to server-1" or "get 1 from client-1 to server".
func (m Message) String() string {
	return m.Op.String() + " " + strconv.Itoa(m.Nth) + " " + fromWord + " " + end(m.From) + " " + toWord + " " + end(m.To)
}

// end returns the word for one end of a message.
func end(a event.Actor) string {
	if a == event.ZooKeeper {
		return serverWord
	}
	return a.String()
}

// Client returns the client at one end of the message, 0 if it's between servers.
func (m Message) Client() event.Actor {
	for _, a := range [...]event.Actor{m.From, m.To} {
		if a.Kind() == event.AClient {
			return a
		}
	}
	return 0
}

// Of returns the name of the message that an event sends, without Nth. It reports whether that has a name: handshakes
// and heartbeats have none.
func Of(e event.Event) (m Message, ok bool) {
	m = Message{Op: e.Op, From: e.Actor, To: e.Peer}
	asked := e.Kind == event.OpSent
	sent := e.Kind == event.MsgSent && e.Actor.Kind() != event.AClient // what a library sends by itself isn't named
	if !asked && !sent || m.check() != nil {
		return Message{}, false
	}
	return m, true
}

// Named reports whether messages of this sort between servers have names: votes, and those on the connection between a
// leader and another server, except heartbeats.
func Named(op event.Op) bool {
	return op >= event.Notification && op <= event.ServerSync && op != event.ServerPing
}

// check returns an error if no message with this Op has these ends.
func (m Message) check() error {
	ends := [...]event.ActorKind{m.From.Kind(), m.To.Kind()}
	if ends[1] == event.AClient {
		ends[0], ends[1] = ends[1], ends[0]
	}
	op := sentence.Quote(m.Op.String())
	switch ends {
	case [...]event.ActorKind{event.AServer, event.AServer}:
		if !Named(m.Op) {
			return sentence.Error("bad.fault.message", op)
		}
		if m.From == m.To {
			return sentence.Error("bad.fault.itself")
		}
	case [...]event.ActorKind{event.AClient, event.ASystem}:
		if m.Op < event.Create || m.Op > event.Reconfig || m.Op == event.SetWatches {
			return sentence.Error("bad.fault.request", op)
		}
	case [...]event.ActorKind{event.AClient, event.ANode}:
		if m.Op != event.Command {
			return sentence.Error("bad.fault.command", op)
		}
	default:
		return sentence.Error("bad.fault.ends")
	}
	return nil
}

// parseMessage reads a message's name.
func parseMessage(w []string) (m Message, err error) {
	if m.Nth, err = strconv.Atoi(w[1]); err != nil || m.Nth < 1 {
		return Message{}, sentence.Error("bad.fault.nth", sentence.Quote(w[1]))
	}
	for i, to := range []*event.Actor{&m.From, &m.To} {
		if *to, err = parseEnd(w[3+2*i]); err != nil {
			return Message{}, err
		}
	}
	var ok bool
	if m.Op, ok = event.ParseOp(w[0]); !ok {
		return Message{}, sentence.Error("bad.fault.sort", sentence.Quote(w[0]))
	}
	if err := m.check(); err != nil {
		return Message{}, err
	}
	return m, nil
}

// parseEnd reads one end of a message.
func parseEnd(word string) (event.Actor, error) {
	var f Fault
	var err error
	switch {
	case word == serverWord:
		return event.ZooKeeper, nil
	case strings.HasPrefix(word, clientWord):
		if err = f.setClient(word); f.Client > event.MaxActor {
			err = sentence.Error("bad.fault.client", sentence.Quote(word))
		}
	case strings.HasPrefix(word, nodeWord):
		err = f.setNode(word)
	default:
		err = f.setServer(word)
	}
	switch {
	case err != nil:
		return 0, err
	case f.Node > 0:
		return event.Node(f.Node), nil
	case f.Server > 0:
		return event.Server(f.Server), nil
	}
	return event.Actor(f.Client), nil
}

// validate returns an error if no run with this scope has such a message.
func (m Message) validate(it sentence.Arg, in Scope) error {
	if err := m.check(); err != nil {
		return sentence.Error("bad.fault.cause", it, sentence.Cause(err))
	}
	if m.Nth < 1 {
		return sentence.Error("bad.fault.cause", it, sentence.Cause(
			sentence.Error("bad.fault.nth", sentence.Quote(strconv.Itoa(m.Nth)))))
	}
	for _, a := range [...]event.Actor{m.From, m.To} {
		switch n, kind := a.Number(), a.Kind(); kind {
		case event.AServer, event.ASystem:
			switch {
			case in.Servers == 0:
				return sentence.Error("bad.fault.no-zookeeper", it, sentence.Text(Words(SystemKinds(), ", ")))
			case kind == event.AServer && in.Servers == 1:
				return sentence.Error("bad.fault.alone", it)
			case n > in.Servers:
				return sentence.Error("bad.fault.among-servers", it, sentence.Number(n), sentence.Number(in.Servers))
			}
		case event.AClient:
			if n > in.Clients {
				return sentence.Error("bad.fault.among", it, sentence.Number(n), sentence.Number(in.Clients))
			}
		case event.ANode:
			if n > in.Nodes {
				return sentence.Error("bad.fault.among-nodes", it, sentence.Number(n), sentence.Number(in.Nodes))
			}
		}
	}
	return nil
}

// Missed reports whether an event is a fault on a message that wasn't on its way.
func Missed(e event.Event) bool {
	if e.Kind != event.FaultInjected || e.Cause != 0 {
		return false
	}
	f, err := Parse(e.Text) // in a trace that somebody wrote it may not parse
	return err == nil && f.Kind.Target() == ToMessage
}
