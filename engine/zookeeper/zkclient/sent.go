package zkclient

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Asks adds details of the request to an OpSent: the watch that it asks for, and a write's condition and data.
func Asks(e event.Event, q *wire.Request) event.Event {
	switch e.Op {
	case event.Exists, event.Get:
		if q.Watch {
			e.Watch = event.DataWatch
		}
	case event.Children:
		if q.Watch {
			e.Watch = event.ChildWatch
		}
	case event.AddWatch:
		e.Watch = event.PersistentWatch
		if q.Mode == wire.WatchPersistentRecursive {
			e.Watch = event.RecursiveWatch
		}
	case event.Set:
		e.Text = event.Preview(q.Data)
		e.Code = q.Version + 1
	case event.Delete, event.Check:
		e.Code = q.Version + 1
	}
	return e
}
