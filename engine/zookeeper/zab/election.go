package zab

import "time"

// The waits of an election, as in Apache ZooKeeper.
const (
	finalizeWait            = 200 * time.Millisecond // wait for a better vote once a quorum agrees
	minNotificationInterval = 200 * time.Millisecond // before the vote is sent again; it doubles each time
	maxNotificationInterval = time.Minute
	// observersWait delays each observer's search for a leader after the previous observer, so that they don't all
	// arrive at once.
	observersWait = 20 * time.Millisecond
)

// election is the fast leader election of a server that is Looking: ZooKeeper's FastLeaderElection.
type election struct {
	node          *Node
	round         uint64 // 0 when the process starts
	vote          Vote
	received      ballots       // in this round
	outOfElection ballots       // from servers that lead or follow
	begins        time.Duration // when an observer begins to look; 0 once it has begun
	interval      time.Duration // from one sending of the vote to the next
	resend        time.Duration // when to send the vote again
	toSelf        []Notification
	final         time.Duration // when the election ends unless a better vote arrives; 0 while no quorum agrees
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
	return e.resend
}

// agrees reports whether two notifications support the same leader. Once one of the servers has a leader, only the
// leader and its epoch count, because the servers may have elected it in different rounds.
func agrees(a, b Notification) bool {
	if a.State == Looking || b.State == Looking {
		return a.Vote == b.Vote && a.Round == b.Round
	}
	return a.Vote.Leader == b.Vote.Leader && a.Vote.Epoch == b.Vote.Epoch
}

// begin begins an election.
func (e *election) begin() {
	n := e.node
	n.enter(Looking, Electing)
	e.begins = 0
	if !n.quorum.voters.Has(n.id) && e.round > 0 {
		e.begins = n.now + time.Duration(n.id)*observersWait
		return
	}
	e.campaign()
}

// end stops the wait for votes.
func (e *election) end() {
	e.final = 0
	e.toSelf = e.toSelf[:0]
}

// hearSelf counts the notifications that the server sent to itself.
func (e *election) hearSelf() {
	for len(e.toSelf) > 0 {
		b := e.toSelf[0]
		e.toSelf = e.toSelf[:copy(e.toSelf, e.toSelf[1:])]
		if e.node.state == Looking {
			e.count(e.node.id, b)
		}
	}
}

// campaign begins a round with a vote for the server itself.
func (e *election) campaign() {
	e.round++
	e.begins, e.final = 0, 0
	e.received, e.outOfElection = ballots{}, ballots{}
	e.interval = minNotificationInterval
	e.propose(e.ownVote())
}

// ownVote returns a vote for the server itself. An observer votes for nobody.
func (e *election) ownVote() Vote {
	n := e.node
	if !n.quorum.voters.Has(n.id) {
		return Vote{}
	}
	return Vote{Leader: n.id, Zxid: n.history.logged, Epoch: n.history.current}
}

// propose changes the vote and sends it to all voters, including this server.
func (e *election) propose(v Vote) {
	e.vote = v
	e.node.do(Effect{Kind: Votes, Vote: v, Round: e.round})
	e.sendNotifications()
}

// sendNotifications sends the vote to all voters.
func (e *election) sendNotifications() {
	n := e.node
	e.resend = n.now + e.interval
	for _, to := range n.cfg.Voters {
		if to == n.id {
			e.toSelf = append(e.toSelf, e.notification())
		} else {
			e.notify(to)
		}
	}
}

func (e *election) notify(to ID) {
	e.node.do(Effect{Kind: Notify, To: to, Notification: e.notification()})
}

func (e *election) notification() Notification {
	n := e.node
	v := n.vote
	if n.state == Looking {
		v = e.vote
	}
	return Notification{State: n.state, Vote: v, Round: e.round}
}

// hear handles a notification from another server.
func (e *election) hear(from ID, b Notification) {
	n := e.node
	if !n.quorum.voters.Has(from) {
		e.notify(from) // it votes for nobody and only asks
		return
	}
	if n.state != Looking {
		if b.State == Looking {
			e.notify(from)
		}
		return
	}
	// An observer has no vote to offer here. The voter would answer it, and so on for as long as the voter is behind.
	if b.State == Looking && b.Round < e.round && n.quorum.voters.Has(n.id) {
		e.notify(from)
	}
	if n.quorum.voters.Has(b.Vote.Leader) && e.begins == 0 {
		e.count(from, b)
	}
}

// count counts a vote.
func (e *election) count(from ID, b Notification) {
	if e.final > 0 {
		if !e.better(b.Vote, e.vote) {
			if e.node.now+finalizeWait > e.final {
				e.finalize()
			}
			return
		}
		e.final = 0
	}
	if b.State == Looking {
		e.countLooking(from, b)
	} else {
		e.countElected(from, b)
	}
}

// countLooking counts the vote of a server that is still Looking.
func (e *election) countLooking(from ID, b Notification) {
	switch {
	case b.Round > e.round:
		e.round, e.received = b.Round, ballots{}
		v := e.ownVote()
		if e.better(b.Vote, v) {
			v = b.Vote
		}
		e.propose(v)
	case b.Round < e.round:
		return
	case e.better(b.Vote, e.vote):
		e.propose(b.Vote)
	}
	e.received.put(from, b)
	if e.agreed(&e.received, Notification{State: Looking, Vote: e.vote, Round: e.round}) {
		e.finalize()
	}
}

// finalize starts the wait for a better vote.
func (e *election) finalize() {
	e.final = e.node.now + finalizeWait
	e.node.do(Effect{Kind: Finalizes, For: finalizeWait, Vote: e.vote})
}

// countElected joins servers that already have a leader. It needs no wait.
func (e *election) countElected(from ID, b Notification) {
	if b.Round == e.round {
		e.received.put(from, b)
		if e.agreed(&e.received, b) && e.leads(&e.received, b) {
			e.node.join(b.Vote)
			return
		}
	}
	e.outOfElection.put(from, b)
	if e.agreed(&e.outOfElection, b) && e.leads(&e.outOfElection, b) {
		e.round = b.Round
		e.node.join(b.Vote)
	}
}

// agreed reports whether a quorum agrees with b.
func (e *election) agreed(votes *ballots, b Notification) bool {
	var supporters Set
	for _, id := range e.node.cfg.Voters {
		if votes.of.Has(id) && agrees(votes.all[id], b) {
			supporters = supporters.With(id)
		}
	}
	return e.node.quorum.contains(supporters)
}

// leads reports whether the elected leader itself claims to lead.
func (e *election) leads(votes *ballots, b Notification) bool {
	if b.Vote.Leader == e.node.id {
		return b.Round == e.round
	}
	return votes.of.Has(b.Vote.Leader) && votes.all[b.Vote.Leader].State == Leading
}

// checkTimers checks the timers of an election.
func (e *election) checkTimers() {
	n := e.node
	switch {
	case e.begins > 0:
		if n.now >= e.begins {
			e.campaign()
		}
	case e.final > 0:
		if n.now >= e.final {
			n.join(e.vote)
		}
	case n.now >= e.resend:
		e.interval = min(2*e.interval, maxNotificationInterval)
		e.sendNotifications()
	}
}

// better orders votes by epoch, then zxid, then server. The epoch must come first, because a server may have
// adopted a new epoch without having any transaction of it.
func (e *election) better(v, than Vote) bool {
	switch {
	case e.node.cfg.Flaws.Has(VotesByNumber):
	case v.Epoch != than.Epoch && !e.node.cfg.Flaws.Has(VotesByZxid):
		return v.Epoch > than.Epoch
	case v.Zxid != than.Zxid:
		return v.Zxid > than.Zxid
	}
	return v.Leader > than.Leader
}
