package feed

import (
	"maps"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/observe/replay"
)

// MaxNodes is how many existing znodes a log lists at its start. If there are more, a RecipeNote by ZooKeeper says so.
const MaxNodes = 2000

// writer writes the effects of transactions into a log.
type writer struct {
	log      *window.Log
	add      func(at time.Duration, seq event.Seq, e event.Event) // adds an event to the log
	from     int64                                                // the log covers transactions after this zxid
	clients  map[int64]event.Actor                                // by session
	visitors window.Visitors
	seq      event.Seq // of the last fact, in the writer's own numbering
}

func newWriter(log *window.Log, from int64, take func(time.Duration, event.Seq, event.Event)) *writer {
	return &writer{log: log, add: take, from: from, clients: map[int64]event.Actor{}}
}

// present reports the current state, as much as fits, parents first.
func (w *writer) present(at time.Duration, s *replay.State) {
	left := min(MaxNodes, w.log.Room()/4)
	nodes := maps.Collect(s.Below(w.log.Root()))
	for _, path := range slices.Sorted(maps.Keys(nodes)) {
		if left--; left < 0 {
			w.log.Note(at, event.LeftLater, 0)
			break
		}
		n := nodes[path]
		w.add(at, 0, event.Event{Kind: event.ZnodeFound, Path: path, Zxid: n.Czxid, Session: n.Owner,
			Peer: w.client(at, s, n.Owner), Mode: n.Mode, Text: n.Text, N: n.CtimeMS, Code: int32(n.Bytes)})
	}
}

// client returns the actor of a session. It introduces a new one in the log.
func (w *writer) client(at time.Duration, s *replay.State, session int64) event.Actor {
	if session == 0 {
		return event.ZooKeeper
	}
	who, known := w.clients[session]
	if known {
		return who
	}
	who = w.visitors.Next(func(func(event.Actor)) { w.log.Renew() })
	w.clients[session] = who
	e := event.Event{Kind: event.SessionSeen, Peer: who, Session: session,
		N: int64(s.Timeout(session)) * int64(time.Millisecond)}
	if zxid := s.Opened(session); zxid > w.from {
		e.Kind, e.Zxid = event.SessionCreated, zxid
	}
	w.add(at, 0, e)
	return who
}

// report reports the facts of a transaction that concern the root or a client of the log.
func (w *writer) report(at time.Duration, s *replay.State, facts []replay.Fact) {
	first := w.seq
	for i := range facts {
		f := &facts[i]
		e := f.Event
		switch e.Kind {
		case event.SessionCreated:
			continue // the session is introduced when it does something here
		case event.SessionClosed, event.SessionExpired:
			if w.clients[f.By] == 0 && !slices.ContainsFunc(facts, func(f replay.Fact) bool {
				return f.Path != "" && w.log.Below(f.Path)
			}) {
				continue
			}
		default:
			if !w.log.Below(e.Path) {
				continue
			}
		}
		e.Peer = w.client(at, s, f.By)
		if e.Cause != 0 {
			e.Cause += first
		}
		w.add(at, first+event.Seq(i+1), e)
	}
	w.seq += event.Seq(len(facts))
}
