package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// LeftOut explains a note of an observer: what it leaves out, or what it notices among the servers. It returns the zero
// Sentence if the event is none.
func LeftOut(e event.Event) sentence.Sentence {
	switch path := sentence.Text(e.Path); e.Reason {
	case event.LeftNothing:
		return sentence.Of("left.nothing")
	case event.LeftMissing:
		if e.Path == "/" { // this happens only below a chroot
			return sentence.Of("left.missing.root")
		}
		return sentence.Of("left.missing", path)
	case event.LeftNodes:
		return sentence.Of("left.nodes", sentence.Number(e.N))
	case event.LeftLater:
		return sentence.Of("left.later")
	case event.LeftChildren:
		return sentence.Of("left.children", somewhere(e))
	case event.LeftDeep:
		return sentence.Of("left.deep", somewhere(e))
	case event.LeftData:
		return sentence.Of("left.data", somewhere(e))
	case event.LeftPaths:
		return sentence.Of("left.paths", sentence.Number(e.N))
	case event.LeftUnread:
		return sentence.Of("left.unread", sentence.Sentences(Refusal(e.Code)))
	case event.LeftOwners:
		return sentence.Of("left.owners", sentence.Number(e.N))
	case event.LeftSessions:
		return sentence.Of("left.sessions")
	case event.LeftWatches:
		return sentence.Of("left.watches")
	case event.LeftRoles:
		return sentence.Of("left.roles")
	case event.LeftMissed:
		return sentence.Of("left.missed", path, sentence.Number(e.N))
	case event.LeftWords:
		server, word := event.Place(e.Text)
		return sentence.Of("left.words", sentence.Text(server), sentence.Text(word))
	case event.LeftUnasked:
		return sentence.Of("left.unasked", sentence.Text(e.Text))
	case event.LeftHidden:
		return sentence.Of("left.hidden", sentence.Number(e.N), sentence.Number(int(e.Code)))
	case event.LeftReadOnly:
		return sentence.Of("left.read-only")
	}
	return amongServers(e)
}

// amongServers says what an observer notices among an ensemble's servers.
func amongServers(e event.Event) sentence.Sentence {
	switch e.Reason {
	case event.LeaderNow:
		leader, before := event.Place(e.Text)
		if leader == "" {
			return sentence.Of("noticed.leader.unnamed", sentence.Number(e.N))
		}
		if before == "" || before == leader {
			return sentence.Of("noticed.leader", sentence.Text(leader), sentence.Number(e.N))
		}
		return sentence.Of("noticed.leader.new", sentence.Text(leader), sentence.Number(e.N), sentence.Text(before))
	case event.QuorumLost:
		return sentence.Of("noticed.lost")
	case event.QuorumBack:
		if e.N == 0 {
			return sentence.Of("noticed.back.late")
		}
		return sentence.Of("noticed.back", sentence.Span(time.Duration(e.N)))
	}
	return sentence.Sentence{}
}

// somewhere names the event's znode, and how many others there are like it.
func somewhere(e event.Event) sentence.Arg {
	if e.N == 0 {
		return sentence.Text(e.Path)
	}
	more := sentence.Of("left.more", sentence.Text(e.Path), sentence.Number(e.N))
	return sentence.Sentences(more)
}
