package room

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/hub"
	"github.com/zkviz/zkviz/engine/protocol"
)

// recorder puts what a cluster reports into a room.
type recorder struct {
	room  *room
	log   *hub.Log
	steps Tracker // nil outside a lesson
	full  func()  // called when the log takes no more
	count int
	gone  sync.Map // the clients, as event.Actor, whose process has ended
}

// Append takes the next event.
func (s *recorder) Append(e event.Event) {
	s.log.Append(shortened(e))
	s.count++
	switch e.Kind {
	case event.Disconnected:
		s.room.setConnection(false, protocol.Clip(e.Text)+"; trying again")
	case event.Reconnected:
		s.room.setConnection(true, "")
	case event.ClientExited, event.ClientCrashed:
		s.gone.Store(e.Actor, true)
	default:
		if s.count == 1 {
			s.room.setConnection(true, "")
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

// end closes the log and tells the followers.
func (s *recorder) end(err error) {
	s.log.End(err)
	if err != nil && !errors.Is(err, context.Canceled) {
		s.room.fail(protocol.Clip(err.Error()))
	}
	s.room.touchLog(s.log)
}

// carryOut hands a fault to the run, which does it now, whatever time f names.
func (s *recorder) carryOut(clients int, inject chan<- fault.Fault, f fault.Fault) error {
	if f.Client > clients {
		return fmt.Errorf("fault %q: there is no client-%d among %d clients", f, f.Client, clients)
	}
	if s.log.Status().Ended {
		return errors.New("the run is over; open it anew to do this")
	}
	if _, gone := s.gone.Load(event.Actor(f.Client)); gone {
		return fmt.Errorf("fault %q: client-%d has ended, so nothing can be done to it; "+
			"start the run again and do it earlier", f, f.Client)
	}
	select {
	case inject <- f:
		return nil
	default:
		return errors.New("the run has not got to the faults before this one; try again")
	}
}
