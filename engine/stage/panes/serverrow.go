package panes

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// ofServer says in nouns what an event of a server is about.
func ofServer(e event.Event, say Say) string {
	var w nouns
	switch e.Kind {
	case event.ServerPhase:
		w.add(say("phase.server." + e.Text))
	case event.VoteCast:
		w.add(e.Peer.String(), say("server.candidate", strconv.Itoa(int(e.Code)), hex(e.Zxid)))
	case event.EpochPromised, event.EpochAdopted, event.LeaderActivated:
		w.add(say("server.epoch", strconv.Itoa(int(e.Code))))
	case event.SyncChosen:
		w.add(e.Op.String(), e.Peer.String(), hex(e.Zxid), say("server.rule", strconv.Itoa(int(e.Code))))
	case event.TxnProposed:
		w.add(hex(e.Zxid), asked(e.Op, e.Path, say))
	case event.MsgDropped:
		w.add(e.Op.String(), e.Peer.String())
	case event.LinkCut, event.LinkHealed:
		w.add(e.Peer.String())
	case event.SessionTouched:
		w.add(e.Peer.Letter(), hex(e.Session))
	case event.ClockJumped:
		w.add(clockSet(time.Duration(e.N), say))
	case event.ServerStarted, event.ServerStopped, event.ServerPaused, event.ServerResumed, event.LeaderLost:
	default:
		w.add(hex(e.Zxid))
	}
	return w.String()
}
