package room

import (
	"context"
	"errors"
	"sync"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// recorder puts a cluster's events into a room.
type recorder struct {
	room  *room
	log   *hub.Log
	judge *growing // nil if the log isn't judged
	steps Tracker  // nil outside a lesson
	full  func()   // called when the log is full
	count int
	gone  sync.Map // clients, as event.Actor, whose process has ended
}

// recorder returns what fills a growing branch of r.
func (b *branch) recorder(r *room) *recorder {
	return &recorder{room: r, log: b.log, judge: b.verdict.growing}
}

// Append adds the next event.
func (s *recorder) Append(e event.Event) {
	kept := shortened(e)
	s.log.Append(kept)
	if s.judge != nil && s.log.Status().Next > e.Seq { // it's in the log
		s.judge.Append(kept)
	}
	s.count++
	switch e.Kind {
	case event.Disconnected:
		s.room.setConnection(false, sentence.Of("link.again", sentence.Text(protocol.Clip(e.Text))))
	case event.Reconnected:
		s.room.setConnection(true, sentence.Sentence{})
	case event.ClientExited, event.ClientCrashed:
		s.gone.Store(e.Actor, true)
	default:
		if s.count == 1 {
			s.room.setConnection(true, sentence.Sentence{})
		}
	}
	if s.steps != nil && s.steps.Track(e) {
		s.room.setSteps(s.steps.Steps())
	}
	if s.log.Status().Ended {
		s.full()
	}
}

func (s *recorder) begun() bool { return s.count > 0 }

// end closes the log and notifies the followers.
func (s *recorder) end(err error) {
	s.log.End(err)
	if err != nil && !errors.Is(err, context.Canceled) {
		s.room.fail(sentence.From(err))
	}
	s.room.touchLog(s.log)
}

// carryOut hands a fault to the run, which carries it out now, whatever time f names.
func (s *recorder) carryOut(clients int, inject chan<- fault.Fault, f fault.Fault) error {
	if f.Client > clients {
		return f.Validate(fault.Scope{Clients: clients, Servers: 1})
	}
	switch t := f.Kind.Target(); {
	case t == fault.ToClient:
	case t == fault.ToNode:
		return sentence.Error("refused.node", sentence.Quote(f.String()))
	case f.Kind.Sets():
		return sentence.Error("refused.clock", sentence.Quote(f.String()))
	default:
		return sentence.Error("refused.restart", sentence.Quote(f.String()))
	}
	if s.log.Status().Ended {
		return sentence.Error("refused.over")
	}
	if _, gone := s.gone.Load(event.Actor(f.Client)); gone {
		return sentence.Error("refused.ended", sentence.Quote(f.String()), sentence.Client(event.Actor(f.Client)))
	}
	select {
	case inject <- f:
		return nil
	default:
		return sentence.Error("refused.busy-run")
	}
}
