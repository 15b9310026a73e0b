package panes

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// ofNode says in nouns what an event at a node of another system is about.
func ofNode(e event.Event, say Say) string {
	var w nouns
	switch e.Kind {
	case event.EntrySet:
		w.add(short(e.Path), clean(lettered(e.Text)))
		if e.N > 0 {
			w.add(say("node.ends", seconds(time.Duration(e.N), 3)))
		}
	case event.EntryExpires:
		w.add(short(e.Path))
		if e.N == 0 {
			w.add(say("node.endless"))
		} else {
			w.add(say("node.ends", seconds(time.Duration(e.N), 3)))
		}
	case event.RequestWaits, event.RequestServed, event.LockTaken, event.LockFreed:
		w.add(short(e.Path), e.Peer.Letter())
	case event.TxBegan, event.TxEnded, event.LeaseGranted, event.LeaseRenewed, event.LeaseEnded:
		w.add(e.Peer.Letter(), strconv.FormatInt(e.Session, 10))
	case event.PushSent:
		w.add(short(e.Path), clean(lettered(e.Text)), e.Peer.Letter())
	case event.RolePlayed:
		w.add(say("node." + e.Text))
	case event.ClockJumped:
		w.add(clockSet(time.Duration(e.N), say))
	case event.MsgDropped:
		w.add(say("op."+e.Op.String(), short(e.Path)), who(e.Peer))
	default:
		w.add(short(e.Path))
	}
	return w.String()
}

// clockSet says by how much a clock was set.
func clockSet(d time.Duration, say Say) string {
	if d < 0 {
		return say("node.jumped.back", long(-d))
	}
	return say("node.jumped", long(d))
}

// who returns a client's letter or a node's name.
func who(a event.Actor) string {
	if a.Kind() == event.AClient {
		return a.Letter()
	}
	return a.String()
}
