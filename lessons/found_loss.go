package lessons

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// What the measures find of lost connections.

// carriedOut tells whether the first request of a client whose answer was lost had been carried out.
func carriedOut(r *Run, client int) string {
	lost, i := first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.OpDone && int(e.Actor) == client && e.Code == int32(zoo.ErrConnectionLoss)
	})
	if i < 0 {
		return ""
	}
	carried := no
	for _, e := range r.Log.Events[:i] {
		switch {
		case e.Op != lost.Op:
		case e.Kind == event.OpSent && int(e.Actor) == client:
			carried = no
		case e.Kind == event.TxnApplied && int(e.Peer) == client && e.Code == 0:
			carried = yes
		}
	}
	return carried
}

// comesBack tells whether a client that has lost its connection gets another before its session ends.
func comesBack(r *Run, client int) string {
	_, i := first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.ConnClosed && int(e.Actor) == client
	})
	next, j := first(r.Log.Events, i, func(e event.Event) bool {
		return e.Kind == event.ConnOpened && int(e.Actor) == client || e.Kind == event.SessionExpired && int(e.Peer) == client
	})
	switch {
	case i < 0 || j < 0:
		return ""
	case next.Kind == event.ConnOpened:
		return yes
	}
	return no
}
