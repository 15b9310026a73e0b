package ensemble

import "github.com/zkviz/zkviz/engine/event/sentence"

// Kind is a kind of change.
type Kind string

// Kinds of changes.
const (
	NewLeader  Kind = "leader"
	QuorumLost Kind = "quorum-lost"
	QuorumBack Kind = "quorum-back"
	AllAway    Kind = "unreached" // no server answers any more
	Reached    Kind = "reached"   // one does again
)

// Change is an event of an ensemble.
type Change struct {
	Number int // counts them, from 1
	Kind   Kind
	MS     int64 // when it was noticed, or when a leader says that it began to lead, in ms since 1970
	// Leader and Epoch are the new ones, Was and WasEpoch those before. A leader is empty if it isn't known.
	Leader, Was     string
	Epoch, WasEpoch int64
	// ForMS is how long the quorum was lost, for QuorumBack, or no server answered, for Reached: at most, or with Longer
	// at least. In ms.
	ForMS  int64
	Longer bool
	// Servers says what each server did, for QuorumLost, or why none answers, for AllAway.
	Servers sentence.Sentence
}

// change notes what has changed, and remembers what is so now.
func (s *State) change() {
	s.reach()
	if s.Quorum == Lost && s.seen.quorum == Serves {
		s.note(Change{Kind: QuorumLost, MS: s.AtMS, Servers: sentence.Of("ensemble.all", sentence.Sentences(s.roles()...))})
	}
	if s.Quorum == Serves && s.seen.quorum == Lost {
		lost, backMS := s.seen.lost, s.AtMS
		if s.Leader != "" && !s.LeaderSince.AtLeast && s.LeaderSince.MS > lost.MS {
			backMS = s.LeaderSince.MS
		}
		fromMS := s.seen.servedMS
		if lost.AtLeast {
			fromMS = lost.MS
		}
		s.note(Change{Kind: QuorumBack, MS: backMS, ForMS: max(backMS-fromMS, 0), Longer: lost.AtLeast})
	}
	if s.Quorum == Lost && s.seen.quorum != Lost {
		s.seen.lost = s.Since
	}
	if s.Quorum == Serves {
		s.seen.servedMS = s.AtMS
	}
	began := s.Number == 1
	if s.Quorum == Serves || s.Quorum == Lost {
		s.seen.quorum = s.Quorum
	}
	if s.Leader == "" && s.Epoch == 0 || s.Epoch == s.seen.epoch && (s.Leader == s.seen.leader || s.Leader == "") {
		return
	}
	if !began && (s.seen.epoch != 0 || s.seen.lost.MS != 0) {
		c := Change{Kind: NewLeader, MS: s.AtMS, Leader: s.Leader, Epoch: s.Epoch, Was: s.seen.leader, WasEpoch: s.seen.epoch}
		if s.Leader != "" && !s.LeaderSince.AtLeast {
			c.MS = s.LeaderSince.MS
		}
		s.note(c)
	}
	s.seen.leader, s.seen.epoch = s.Leader, s.Epoch
}

// reach notes that no server answers any more, or that one does again.
func (s *State) reach() {
	away := s.Quorum == Unreached
	switch was := s.seen.away; {
	case away && was.MS == 0 && s.Number > 1:
		s.note(Change{Kind: AllAway, MS: s.AtMS, Servers: sentence.Of("ensemble.all", s.reasons())})
	case !away && was.MS != 0:
		c := Change{Kind: Reached, MS: s.AtMS, ForMS: max(s.AtMS-s.seen.answeredMS, 0), Longer: was.AtLeast}
		if c.Longer {
			c.ForMS = max(s.AtMS-was.MS, 0)
		}
		s.note(c)
	}
	if !away {
		s.seen.away, s.seen.answeredMS = Since{}, s.AtMS
	} else if s.seen.away.MS == 0 {
		s.seen.away = s.Since
	}
}

func (s *State) note(c Change) {
	c.Number = 1
	if n := len(s.Changes); n > 0 {
		c.Number = s.Changes[n-1].Number + 1
	}
	kept := s.Changes[max(len(s.Changes)+1-maxChanges, 0):]
	s.Changes = append(kept[:len(kept):len(kept)], c)
}

// After returns the changes that came after the one with that number; 0 for all. The oldest may be forgotten.
func (s *State) After(number int) (all []Change) {
	for _, c := range s.Changes {
		if c.Number > number {
			all = append(all, c)
		}
	}
	return all
}

// Last returns the number of the last change; 0 if there was none.
func (s *State) Last() int {
	if n := len(s.Changes); n > 0 {
		return s.Changes[n-1].Number
	}
	return 0
}
