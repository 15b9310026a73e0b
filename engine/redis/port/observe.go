package port

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/redis"
	"github.com/zkviz/zkviz/engine/sentence"
)

// MaxObservedKeys is how many keys that are there at the start an observation tells of.
const MaxObservedKeys = 2000

// Root is what every observation is of: all keys.
const Root = "/"

// node is what the only node is called in logs.
var node = event.Node(1)

// observation is one of a server.
type observation struct {
	*capture.Observation
	s    *Server
	from time.Duration // the server's time when the log's is 0
}

// Place is where clients connect.
func (s *Server) Place() string { return s.Addr().String() }

// System says what there is.
func (s *Server) System() event.System { return event.System{Kind: event.RedisSystem, Servers: 1} }

// Inject refuses faults.
func (s *Server) Inject(f fault.Fault) error {
	return sentence.Error("refused.node", sentence.Quote(f.String()))
}

// Observe reports to sink what happens, until ctx ends, the server is closed, or the log has that many events (0:
// capture.MaxEvents); then it returns event.ErrLogFull. It costs the clients next to nothing.
//
// The log begins with what is there: ConnOpened of each client that has asked for anything, what it has subscribed to
// as if it did so now, EntrySet of the keys, and RequestWaits. Connections are the log's clients, numbered in the order
// of their coming; ClientStarted introduces each, whose Text is the name that a client has given itself, or else its
// address, and comes again when it takes another name. Then follow, each with its cause:
//
//	of the clients  conn.opened conn.closed op.sent op.done push.delivered client.exited
//	of the node     entry.* request.* msg.sent push.sent
//
// What clients say to introduce themselves is left out. How long messages travel nobody here can know.
//
// Unless begun is nil, it is called before the log's first event with what puts an event into the log.
func (s *Server) Observe(
	ctx context.Context, root string, sink event.Sink, most int, begun func(say func(event.Event) event.Seq),
) error {
	if root != Root {
		return fmt.Errorf("observe %q: only all keys can be observed", root)
	}
	o, err := s.beginObservation(most)
	if err != nil {
		return fmt.Errorf("observe the Redis: %w", err)
	}
	defer o.quit()
	if begun != nil {
		begun(o.Say)
	}
	return fmt.Errorf("observe the Redis: %w", o.Follow(ctx, sink))
}

func (s *Server) beginObservation(most int) (*observation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil, net.ErrClosed
	}
	from := s.now()
	log := capture.NewLog(Root, most, from, time.Now(), 0)
	log.Who = s.whoIs
	o := &observation{capture.NewObservation(log, &s.mu, s.now), s, from}
	o.present()
	s.observed = append(s.observed, o)
	return o, nil
}

// whoIs is what a client calls itself, or where it comes from.
func (s *Server) whoIs(who event.Actor) string {
	for k := range s.conns {
		if k.who == who {
			return k.called()
		}
	}
	return ""
}

// called is what a client is called.
func (k *conn) called() string {
	if k.name != "" {
		return k.name
	}
	return k.net.RemoteAddr().String()
}

// present reports what is there.
func (o *observation) present() {
	s := o.s
	for _, k := range s.inOrder() {
		if !k.known {
			continue
		}
		o.take(0, event.Event{Kind: event.ConnOpened, Actor: k.who, Peer: node})
		for _, channel := range s.node.Channels(k.session) {
			r := redis.Request([]string{"SUBSCRIBE", channel})
			e := event.Event{Kind: event.OpSent, Actor: k.who, Peer: node, Op: event.Command, Path: r.Path, Text: r.Text,
				Watch: r.Watch}
			o.take(0, e)
			e.Kind, e.Text, e.Watch = event.OpDone, "", event.NoWatch
			o.take(0, e)
		}
	}
	there := s.connected()
	all := s.node.Present(min(MaxObservedKeys, o.Room()/4), func(e event.Event) {
		if !there[e.Peer] {
			e.Peer = 0 // gone
		}
		o.take(0, e)
	})
	if !all {
		o.Note(event.LeftLater)
	}
}

// take is an event with the server's numbers and the node's clock.
func (o *observation) take(seq event.Seq, e event.Event) {
	switch e.Kind {
	case event.EntrySet, event.EntryExpires:
		if e.N != 0 {
			e.N = max(e.N-o.s.began.UnixNano()-int64(o.from), 1)
		}
	}
	o.Take(seq, e)
}

func (o *observation) quit() {
	o.s.mu.Lock()
	defer o.s.mu.Unlock()
	o.s.observed = slices.DeleteFunc(o.s.observed, func(x *observation) bool { return x == o })
}

// emit numbers a fact and hands it to the observations. It is called with mu held.
func (s *Server) emit(e event.Event) event.Seq {
	if len(s.observed) == 0 {
		return 0
	}
	if s.seq++; s.seq == 0 { // nothing is left that refers so far back
		s.seq++
	}
	for _, o := range s.observed {
		o.take(s.seq, e)
	}
	return s.seq
}

// of is emit for what a client does or learns. One that has asked for nothing yet is nobody.
func (k *conn) of(e event.Event) event.Seq {
	if !k.known {
		return 0
	}
	e.Actor, e.Peer = k.who, node
	return k.s.emit(e)
}

// to is emit for what the node tells a client.
func (k *conn) to(e event.Event) event.Seq {
	e.Actor, e.Peer = node, k.who
	return k.s.emit(e)
}

// comes is that a client asks for something.
func (k *conn) comes() {
	if !k.known {
		k.known = true
		k.of(event.Event{Kind: event.ConnOpened})
	}
}

// renamed is that a client calls itself otherwise.
func (k *conn) renamed() {
	if k.known {
		k.s.emit(event.Event{Kind: event.ClientStarted, Actor: k.who, Text: k.called()})
	}
}

// leaves is that its connection has ended. The event is the cause of what becomes of its requests.
func (k *conn) leaves() event.Seq {
	why := event.ConnLost
	if k.hungUp {
		why = event.ConnHungUp
	}
	return k.of(event.Event{Kind: event.ConnClosed, Reason: why})
}
