package view

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// whyEnsemble explains what an ensemble's server does.
func whyEnsemble(e, by event.Event) sentence.Sentence {
	peer := sentence.Text(e.Peer.String())
	if e.Reason != event.NoReason {
		return sentence.Of(reasonKey(e.Reason))
	}
	switch e.Kind {
	case event.ServerPhase:
		return whyServerPhase(e)
	case event.VoteCast:
		if e.Peer == e.Actor {
			return because("vote.own")
		}
		return because("vote.other", peer)
	case event.VoteFinal:
		return because("vote.final", sentence.Span(time.Duration(e.N)))
	case event.EpochPromised:
		return because("epoch.promised", sentence.Number(int(e.Code)))
	case event.EpochAdopted:
		return because("epoch.adopted", sentence.Number(int(e.Code)))
	case event.SyncChosen:
		return whyChosen(e)
	case event.ServerStarted:
		if by.Kind == 0 {
			return because("server.begins")
		}
		return because("server.again")
	case event.ServerPaused, event.LinkCut, event.ClockJumped:
		return because("fault")
	case event.ServerResumed:
		return because("server.resumed")
	case event.LinkHealed:
		return because("link.healed")
	case event.SessionTouched:
		if by.Op == event.ServerPing {
			return because("touched", sentence.Text(by.Peer.String()))
		}
		return because("touched.moved", sentence.Client(e.Peer))
	}
	return whyLogged(e, peer)
}

func whyServerPhase(e event.Event) sentence.Sentence {
	switch event.ServerPhaseName(e.Text) {
	case event.Discovering:
		if e.Peer == e.Actor {
			return because("phase.discovery.leader")
		}
		return because("phase.discovery", sentence.Text(e.Peer.String()))
	case event.Synchronizing:
		return because("phase.synchronization")
	case event.Broadcasting:
		return because("phase.broadcast")
	}
	return because("phase.election")
}

// whyChosen names the rule by which a leader chose how a learner catches up; see zab.Choice.
func whyChosen(e event.Event) sentence.Sentence {
	peer, rule := sentence.Text(e.Peer.String()), sentence.Number(int(e.Code))
	walked := e.Code == 3 || e.Code == 4 // the leader searched its log for the learner's last transaction
	switch {
	case e.Op == event.Diff && e.Code == 1:
		return because("chosen.same", peer)
	case e.Op == event.Diff && e.Code == 4:
		return because("chosen.log", peer)
	case e.Op == event.Diff:
		return because("chosen.diff", peer, rule)
	case e.Op == event.Trunc && walked:
		return because("chosen.fork", peer, rule)
	case e.Op == event.Trunc:
		return because("chosen.trunc", peer, rule)
	case walked:
		return because("chosen.epochs", peer, rule)
	}
	return because("chosen.snap", peer, rule)
}

// whyLogged explains what happens to a transaction on its way through the servers' logs.
func whyLogged(e event.Event, peer sentence.Arg) sentence.Sentence {
	switch e.Kind {
	case event.TxnProposed:
		return because("proposed")
	case event.TxnLogged:
		return because("logged")
	case event.LogSynced:
		return because("synced")
	case event.LogTruncated:
		return because("truncated")
	case event.SnapshotLoaded:
		if e.Peer == event.ZooKeeper {
			return because("snapshot.there")
		}
		return because("snapshot.loaded", peer)
	case event.SnapshotSaved:
		return because("snapshot.saved")
	case event.TxnCommitted:
		return because("committed")
	case event.TxnDelivered:
		return because("delivered")
	case event.LeaderActivated:
		return because("activated", sentence.Text(strconv.Itoa(int(e.Code))))
	case event.ServerSynced:
		return because("uptodate")
	}
	return sentence.Sentence{}
}
