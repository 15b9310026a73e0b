package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Vote is what a server says in an election. Its zero value is none.
type Vote struct {
	For   event.Actor
	Zxid  int64 // the last that the candidate has logged
	Epoch int32 // and its epoch
	Round int64
}

// VoteField is a part of a Vote. Votes are compared by their epochs, then by their zxids, then by the servers that they
// are for.
type VoteField uint8

const (
	NoField VoteField = iota
	EpochField
	ZxidField
	ServerField
	RoundField // who hears of a higher one begins anew
)

// Over is the first field in which v is higher than another vote, so what decides for v.
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
	Vote    Vote
	Decided VoteField     // by which the last change of its mind was decided
	Final   time.Duration // until then it waits for a better vote, 0 if it does not
	Waits   time.Duration // for so long in all

	own   Vote // that it began with
	heard [mostServers + 1]Vote
}

// Heard is the last vote that it has heard of server n in this election, zero if none.
func (b *Ballot) Heard(n int) Vote {
	return b.heard[place(event.Server(n))]
}

// cast takes a vote of the server itself. In a higher round it begins anew with its own, so that is what a better one
// is better than.
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

// hear takes a notification. One of an observer has no vote. Once a quorum agrees, the server listens to nothing that
// is no better: not to those that have elected already, and say so by the epoch that comes.
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

// Agree is how many servers that vote are for the same as server n, as far as it has heard and itself included.
func (s *State) Agree(n int) (agree int) {
	b := &s.Servers[n-1].Ballot
	for i := range s.Voters() {
		if i+1 == n || b.Heard(i+1) == b.Vote {
			agree++
		}
	}
	return agree
}

// Voters is how many servers of the ensemble vote.
func (s *State) Voters() int {
	if list := s.Header.Systems; len(list) > 0 && list[0].Servers > 0 {
		return min(list[0].Servers, mostServers)
	}
	return min(len(s.Servers), mostServers)
}
