package zab

import "time"

// The waits of an election, as in Apache ZooKeeper.
const (
	finalizeWait = 200 * time.Millisecond // wait for a better vote once a quorum agrees
	firstSilence = 200 * time.Millisecond // before the vote is sent again; it doubles each time
	lastSilence  = time.Minute
	// observersWait delays each observer's search for a leader after the previous observer, so that they don't all
	// arrive at once.
	observersWait = 20 * time.Millisecond
)

// election is the fast leader election of a Looking server.
type election struct {
	round     uint64 // 0 when the process starts
	vote      Vote
	received  ballots // in this round
	elsewhere ballots // from servers that lead or follow
	begins    time.Duration
	silence   time.Duration
	again     time.Duration // when to send the vote again
	final     time.Duration // when the election ends unless a better vote arrives; 0 while no quorum agrees
}

// ballots holds the last notification of each server.
type ballots struct {
	of  Set
	all [MaxServers + 1]Notification
}

func (b *ballots) put(from ID, v Notification) {
	b.of = b.of.With(from)
	b.all[from] = v
}

func (e *election) deadline() time.Duration {
	switch {
	case e.begins > 0:
		return e.begins
	case e.final > 0:
		return e.final
	}
	return e.again
}

// agrees reports whether two notifications support the same leader. Once one of the servers has a leader, only the
// leader and its epoch count, because the servers may have elected it in different rounds.
func agrees(a, b Notification) bool {
	if a.State == Looking || b.State == Looking {
		return a.Vote == b.Vote && a.Round == b.Round
	}
	return a.Vote.Leader == b.Vote.Leader && a.Vote.Epoch == b.Vote.Epoch
}

// look begins an election.
func (n *Node) look() {
	n.enter(Looking, Electing)
	n.election.begins = 0
	if !n.voters.Has(n.id) && n.election.round > 0 {
		n.election.begins = n.now + time.Duration(n.id)*observersWait
		return
	}
	n.campaign()
}

func (n *Node) campaign() {
	e := &n.election
	e.round++
	e.begins, e.final = 0, 0
	e.received, e.elsewhere = ballots{}, ballots{}
	e.silence = firstSilence
	n.propose(n.ownVote())
}

// ownVote returns a vote for the server itself. An observer votes for nobody.
func (n *Node) ownVote() Vote {
	if !n.voters.Has(n.id) {
		return Vote{}
	}
	return Vote{Leader: n.id, Zxid: n.logged, Epoch: n.current}
}

// propose changes the vote and sends it to all voters, including this server.
func (n *Node) propose(v Vote) {
	n.election.vote = v
	n.do(Effect{Kind: Votes, Vote: v, Round: n.election.round})
	n.tell()
}

func (n *Node) tell() {
	n.election.again = n.now + n.election.silence
	for _, to := range n.cfg.Voters {
		if to == n.id {
			n.own = append(n.own, n.notification())
		} else {
			n.notify(to)
		}
	}
}

func (n *Node) notify(to ID) { n.do(Effect{Kind: Notify, To: to, Notification: n.notification()}) }

func (n *Node) notification() Notification {
	v := n.vote
	if n.state == Looking {
		v = n.election.vote
	}
	return Notification{State: n.state, Vote: v, Round: n.election.round}
}

// hear handles a notification from another server.
func (n *Node) hear(from ID, b Notification) {
	if !n.voters.Has(from) {
		n.notify(from) // it votes for nobody and only asks
		return
	}
	if n.state != Looking {
		if b.State == Looking {
			n.notify(from)
		}
		return
	}
	// An observer has no vote to offer here. The voter would answer it, and so on for as long as the voter is behind.
	if b.State == Looking && b.Round < n.election.round && n.voters.Has(n.id) {
		n.notify(from)
	}
	if n.voters.Has(b.Vote.Leader) && n.election.begins == 0 {
		n.count(from, b)
	}
}

func (n *Node) count(from ID, b Notification) {
	e := &n.election
	if e.final > 0 {
		if !n.better(b.Vote, e.vote) {
			if n.now+finalizeWait > e.final {
				n.finalize()
			}
			return
		}
		e.final = 0
	}
	if b.State == Looking {
		n.countLooking(from, b)
	} else {
		n.countElected(from, b)
	}
}

func (n *Node) countLooking(from ID, b Notification) {
	e := &n.election
	switch {
	case b.Round > e.round:
		e.round, e.received = b.Round, ballots{}
		v := n.ownVote()
		if n.better(b.Vote, v) {
			v = b.Vote
		}
		n.propose(v)
	case b.Round < e.round:
		return
	case n.better(b.Vote, e.vote):
		n.propose(b.Vote)
	}
	e.received.put(from, b)
	if n.agreed(&e.received, Notification{State: Looking, Vote: e.vote, Round: e.round}) {
		n.finalize()
	}
}

// finalize starts the wait for a better vote.
func (n *Node) finalize() {
	n.election.final = n.now + finalizeWait
	n.do(Effect{Kind: Finalizes, For: finalizeWait, Vote: n.election.vote})
}

// countElected joins servers that already have a leader. It needs no wait.
func (n *Node) countElected(from ID, b Notification) {
	e := &n.election
	if b.Round == e.round {
		e.received.put(from, b)
		if n.agreed(&e.received, b) && n.leads(&e.received, b) {
			n.join(b.Vote)
			return
		}
	}
	e.elsewhere.put(from, b)
	if n.agreed(&e.elsewhere, b) && n.leads(&e.elsewhere, b) {
		e.round = b.Round
		n.join(b.Vote)
	}
}

// agreed reports whether a quorum agrees with b.
func (n *Node) agreed(said *ballots, b Notification) bool {
	var for_ Set
	for _, id := range n.cfg.Voters {
		if said.of.Has(id) && agrees(said.all[id], b) {
			for_ = for_.With(id)
		}
	}
	return n.quorum(for_)
}

// leads reports whether the elected leader itself claims to lead.
func (n *Node) leads(said *ballots, b Notification) bool {
	if b.Vote.Leader == n.id {
		return b.Round == n.election.round
	}
	return said.of.Has(b.Vote.Leader) && said.all[b.Vote.Leader].State == Leading
}

// lookAgain checks the timers of an election.
func (n *Node) lookAgain() {
	e := &n.election
	switch {
	case e.begins > 0:
		if n.now >= e.begins {
			n.campaign()
		}
	case e.final > 0:
		if n.now >= e.final {
			n.join(e.vote)
		}
	case n.now >= e.again:
		e.silence = min(2*e.silence, lastSilence)
		n.tell()
	}
}

// join ends the election.
func (n *Node) join(v Vote) {
	n.vote = v
	n.election.final = 0
	n.own = n.own[:0]
	switch {
	case v.Leader == n.id:
		n.beginLeading()
	case n.voters.Has(n.id):
		n.beginFollowing(Following)
	default:
		n.beginFollowing(Observing)
	}
}
