package server

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// OpOf returns the log's name for an operation of the protocol, or NoOp if it has none.
func OpOf(op wire.Op) event.Op {
	switch op {
	case wire.OpPing:
		return event.Ping
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		return event.Create
	case wire.OpDelete, wire.OpDeleteContainer:
		return event.Delete
	case wire.OpExists:
		return event.Exists
	case wire.OpGetData:
		return event.Get
	case wire.OpSetData:
		return event.Set
	case wire.OpGetChildren, wire.OpGetChildren2:
		return event.Children
	case wire.OpMulti:
		return event.Multi
	case wire.OpSync:
		return event.Sync
	case wire.OpCheck:
		return event.Check
	case wire.OpCreateSession:
		return event.Connect
	case wire.OpCloseSession:
		return event.CloseSession
	}
	return lesserOpOf(op)
}

// lesserOpOf names the operations that no recipe uses.
func lesserOpOf(op wire.Op) event.Op {
	switch op {
	case wire.OpSetWatches, wire.OpSetWatches2:
		return event.SetWatches
	case wire.OpGetACL:
		return event.GetACL
	case wire.OpSetACL:
		return event.SetACL
	case wire.OpGetEphemerals:
		return event.Ephemerals
	case wire.OpAllChildrenNumber:
		return event.AllChildren
	case wire.OpMultiRead:
		return event.MultiRead
	case wire.OpAddWatch:
		return event.AddWatch
	case wire.OpRemoveWatches:
		return event.RemoveWatches
	case wire.OpCheckWatches:
		return event.CheckWatches
	case wire.OpAuth, wire.OpSASL:
		return event.Auth
	case wire.OpWhoAmI:
		return event.WhoAmI
	case wire.OpReconfig:
		return event.Reconfig
	}
	return event.NoOp
}
