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

// account writes the effects of transactions into a log.
type account struct {
	log      *window.Log
	take     func(at time.Duration, seq event.Seq, e event.Event) // adds an event to the log
	from     int64                                                // the log covers transactions after this zxid
	clients  map[int64]event.Actor                                // by session
	visitors window.Visitors
	seq      event.Seq // of the last fact, in account's own numbering
}

func newAccount(log *window.Log, from int64, take func(time.Duration, event.Seq, event.Event)) *account {
	return &account{log: log, take: take, from: from, clients: map[int64]event.Actor{}}
}

// present reports the current state, as much as fits, parents first.
func (a *account) present(at time.Duration, s *replay.State) {
	left := min(MaxNodes, a.log.Room()/4)
	nodes := maps.Collect(s.Below(a.log.Root()))
	for _, path := range slices.Sorted(maps.Keys(nodes)) {
		if left--; left < 0 {
			a.log.Note(at, event.LeftLater, 0)
			break
		}
		n := nodes[path]
		a.take(at, 0, event.Event{Kind: event.ZnodeFound, Path: path, Zxid: n.Czxid, Session: n.Owner,
			Peer: a.client(at, s, n.Owner), Mode: n.Mode, Text: n.Text, N: n.CtimeMS, Code: int32(n.Bytes)})
	}
}

// client returns the actor of a session. It introduces a new one in the log.
func (a *account) client(at time.Duration, s *replay.State, session int64) event.Actor {
	if session == 0 {
		return event.ZooKeeper
	}
	who, known := a.clients[session]
	if known {
		return who
	}
	who = a.visitors.Next(func(func(event.Actor)) { a.log.Renew() })
	a.clients[session] = who
	e := event.Event{Kind: event.SessionSeen, Peer: who, Session: session,
		N: int64(s.Timeout(session)) * int64(time.Millisecond)}
	if zxid := s.Opened(session); zxid > a.from {
		e.Kind, e.Zxid = event.SessionCreated, zxid
	}
	a.take(at, 0, e)
	return who
}

// told reports the facts of a transaction that concern the root or a client of the log.
func (a *account) told(at time.Duration, s *replay.State, facts []replay.Fact) {
	first := a.seq
	for i := range facts {
		f := &facts[i]
		e := f.Event
		switch e.Kind {
		case event.SessionCreated:
			continue // the session is introduced when it does something here
		case event.SessionClosed, event.SessionExpired:
			if a.clients[f.By] == 0 && !slices.ContainsFunc(facts, func(f replay.Fact) bool {
				return f.Path != "" && a.log.Below(f.Path)
			}) {
				continue
			}
		default:
			if !a.log.Below(e.Path) {
				continue
			}
		}
		e.Peer = a.client(at, s, f.By)
		if e.Cause != 0 {
			e.Cause += first
		}
		a.take(at, first+event.Seq(i+1), e)
	}
	a.seq += event.Seq(len(facts))
}
