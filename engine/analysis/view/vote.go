package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Vote is a server's vote in an election. Its zero value is no vote.
type Vote struct {
	For   event.Actor
	Zxid  int64 // the last one that the candidate has logged
	Epoch int32 // the candidate's epoch
	Round int64
}

// VoteField is a part of a Vote. Votes are compared by their epochs, then by their zxids, then by the servers that
// they are for.
type VoteField uint8

const (
	NoField VoteField = iota
	EpochField
	ZxidField
	ServerField
	RoundField // a server that hears a higher round starts over
)

// Over returns the first field in which v is higher than another vote, and which so decides for v.
func (v Vote) Over(w Vote) VoteField {
	switch {
	case v.Round > w.Round:
		return RoundField
	case v.Epoch > w.Epoch:
		return EpochField
	case v.Zxid > w.Zxid:
		return ZxidField
	case v.For > w.For:
		return ServerField
	}
	return NoField
}

// Ballot is what a server knows in an election.
type Ballot struct {
	_       Incomparable
	Vote    Vote
	Decided VoteField     // the field that decided its last change of mind
	Final   time.Duration // it waits for a better vote until then, 0 if it doesn't
	Waits   time.Duration // the whole length of that wait

	own   Vote // the vote that it began with
	heard [mostServers + 1]Vote
}

// Heard returns the last vote that it heard from server n in this election, zero if none.
func (b *Ballot) Heard(n int) Vote {
	return b.heard[place(event.Server(n))]
}

// cast records the server's own vote. In a higher round the server starts over with its own vote, so a better one
// is compared with that.
func (b *Ballot) cast(e event.Event) {
	v := Vote{For: e.Peer, Zxid: e.Zxid, Epoch: e.Code, Round: e.N}
	switch than := b.Vote; {
	case b.own.For == 0:
		b.own = v
	case v.Round > than.Round:
		b.own.Round = v.Round
		if b.Decided = v.Over(b.own); b.Decided == NoField {
			b.Decided = RoundField
		}
	default:
		b.Decided = v.Over(than)
	}
	b.Vote, b.Final, b.Waits = v, 0, 0
}

// hear records a notification. Observers have no vote. Once a quorum agrees, the server ignores votes that aren't
// better, including those of servers that have finished the election, whose votes carry the coming epoch.
func (b *Ballot) hear(e event.Event) {
	who, ok := event.ParseActor(e.Text)
	n := place(e.Peer)
	if !ok || n == 0 {
		return
	}
	v := Vote{For: who, Zxid: e.Zxid, Epoch: e.Code, Round: e.N}
	if b.Final == 0 || v == b.Vote || v.Over(b.Vote) != NoField {
		b.heard[n] = v
	}
}
