package zab

// Type is what a message between servers says. The numbers are those of Apache ZooKeeper's Leader class.
type Type int8

// The types.
const (
	Request      Type = 1  // a write that a learner hands to its leader
	Proposal     Type = 2  // a transaction that is to be logged
	Ack          Type = 3  // it is on the follower's disk; with counter 0: NEWLEADER's history is
	Commit       Type = 4  // a quorum has it
	Ping         Type = 5  // both ways
	Revalidate   Type = 6  // is that session still there? and the answer
	Sync         Type = 7  // both ways
	Inform       Type = 8  // a proposal and its commit in one, for observers
	NewLeader    Type = 10 // all of the leader's history was sent
	FollowerInfo Type = 11
	UpToDate     Type = 12
	Diff         Type = 13
	Trunc        Type = 14
	Snap         Type = 15
	ObserverInfo Type = 16
	LeaderInfo   Type = 17 // the new epoch
	AckEpoch     Type = 18
)

var typeNames = map[Type]string{
	Request: "REQUEST", Proposal: "PROPOSAL", Ack: "ACK", Commit: "COMMIT", Ping: "PING", Revalidate: "REVALIDATE",
	Sync: "SYNC", Inform: "INFORM", NewLeader: "NEWLEADER", FollowerInfo: "FOLLOWERINFO", UpToDate: "UPTODATE",
	Diff: "DIFF", Trunc: "TRUNC", Snap: "SNAP", ObserverInfo: "OBSERVERINFO", LeaderInfo: "LEADERINFO",
	AckEpoch: "ACKEPOCH",
}

// String is the type's name in ZooKeeper.
func (t Type) String() string { return typeNames[t] }

// Message is what one server says to another on the quorum port.
type Message struct {
	Type     Type
	Promised bool     // of ACKEPOCH: the epoch was promised before, and this acknowledges nothing
	Epoch    Epoch    // of ACKEPOCH: currentEpoch
	Zxid     Zxid     // of FOLLOWERINFO and OBSERVERINFO: (acceptedEpoch, 0)
	Txn      Txn      // of REQUEST, PROPOSAL and INFORM
	Snapshot Snapshot // of SNAP. The host puts the state in when it sends it
	Asked    Asked    // of REVALIDATE and SYNC
	Touched  []Touch  // of a learner's PING
}

// Asked is what a learner asks on behalf of a client, and gets back.
type Asked struct {
	Session int64
	Token   int64 // whatever the host of the learner tells its questions apart by
	OK      bool  // of the answer to REVALIDATE
}

// Touch says that something was heard from a session.
type Touch struct {
	Session int64
	Timeout int32 // ms
}

// Notification is what one server says to another on the election port.
type Notification struct {
	State State
	Vote  Vote
	Round uint64
}

// Vote is for a server as the leader.
type Vote struct {
	Leader ID    // 0 of an observer, which votes for nobody
	Zxid   Zxid  // the last that the candidate has logged
	Epoch  Epoch // its current epoch; once it leads, the one that it leads
}

// better orders votes by epoch, then zxid, then server. The epoch must come first: a server that has nothing of a new
// epoch yet may have adopted it all the same.
func (n *Node) better(v, than Vote) bool {
	switch {
	case v.Epoch != than.Epoch && !n.cfg.Flaws.Has(VotesByZxid):
		return v.Epoch > than.Epoch
	case v.Zxid != than.Zxid:
		return v.Zxid > than.Zxid
	}
	return v.Leader > than.Leader
}
