package port

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/stores/redis"
)

// MaxObservedKeys is the maximum number of existing keys that an observation starts with.
const MaxObservedKeys = 2000

// Root is the root of every observation: all keys.
const Root = "/"

// node is the name of the only node in logs.
var node = event.Node(1)

// observation is an observation of a server.
type observation struct {
	*window.Observation
	s    *Server
	from time.Duration // the server's time at the log's time 0
}

// Place returns the address that clients connect to.
func (s *Server) Place() string { return s.Addr().String() }

// System describes the system.
func (s *Server) System() event.System { return event.System{Kind: event.RedisSystem, Servers: 1} }

// Inject refuses faults.
func (s *Server) Inject(f fault.Fault) error {
	return sentence.Error("refused.node", sentence.Quote(f.String()))
}

// Observe reports to sink what happens, until ctx ends, the server is closed, or the log has most events (0:
// window.MaxEvents); then it returns event.ErrLogFull. It costs the clients next to nothing.
//
// The log begins with what exists: ConnOpened for each client that has sent a request, its subscriptions as if they
// were made now, EntrySet for the keys, and RequestWaits. Connections are the log's clients, numbered in order of
// arrival. ClientStarted introduces each, with the name it gave itself, or else its address, as Text, and is repeated
// when it changes its name. Then follow, each with its cause:
//
//	of the clients  conn.opened conn.closed op.sent op.done push.delivered client.exited
//	of the node     entry.* request.* msg.sent push.sent
//
// The requests with which clients introduce themselves are left out. Latencies are unknown here.
//
// Unless begun is nil, it is called before the log's first event with a function that adds an event to the log.
func (s *Server) Observe(
	ctx context.Context, root string, sink event.Sink, most int, begun func(say func(event.Event) event.Seq),
) error {
	if root != Root {
		return fmt.Errorf("observe %q: only all keys together can be observed", root)
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
	log := window.NewLog(Root, most, from, time.Now(), 0)
	log.Who = s.whoIs
	o := &observation{window.NewObservation(log, &s.mu, s.now), s, from}
	o.present()
	s.observed = append(s.observed, o)
	return o, nil
}

// whoIs returns a client's name, or its address.
func (s *Server) whoIs(who event.Actor) string {
	for k := range s.conns {
		if k.who == who {
			return k.displayName()
		}
	}
	return ""
}

// displayName returns the client's name, or its address.
func (k *conn) displayName() string {
	if k.name != "" {
		return k.name
	}
	return k.net.RemoteAddr().String()
}

// present reports what exists.
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

// take converts an event to the log's numbers and clock.
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

// emit numbers an event and passes it to the observations. The caller holds mu.
func (s *Server) emit(e event.Event) event.Seq {
	if len(s.observed) == 0 {
		return 0
	}
	if s.seq++; s.seq == 0 { // no event refers that far back
		s.seq++
	}
	for _, o := range s.observed {
		o.take(s.seq, e)
	}
	return s.seq
}

// emitFrom emits what a client does or learns, unless the client hasn't sent a request yet.
func (k *conn) emitFrom(e event.Event) event.Seq {
	if !k.known {
		return 0
	}
	e.Actor, e.Peer = k.who, node
	return k.s.emit(e)
}

// emitTo emits what the node sends a client.
func (k *conn) emitTo(e event.Event) event.Seq {
	e.Actor, e.Peer = node, k.who
	return k.s.emit(e)
}

// logConnected records a client's first request.
func (k *conn) logConnected() {
	if !k.known {
		k.known = true
		k.emitFrom(event.Event{Kind: event.ConnOpened})
	}
}

// logRenamed records a client's new name.
func (k *conn) logRenamed() {
	if k.known {
		k.s.emit(event.Event{Kind: event.ClientStarted, Actor: k.who, Text: k.displayName()})
	}
}

// logGone records the end of the connection. The event is the cause of what happens to its requests.
func (k *conn) logGone() event.Seq {
	why := event.ConnLost
	if k.hungUp {
		why = event.ConnHungUp
	}
	return k.emitFrom(event.Event{Kind: event.ConnClosed, Reason: why})
}
