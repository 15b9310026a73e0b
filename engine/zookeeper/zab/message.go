package zab

// Type is the kind of a message between servers. The numbers are those of Apache ZooKeeper's Leader class.
type Type int8

// The types.
const (
	Request      Type = 1  // a write that a learner forwards to its leader
	Proposal     Type = 2  // a transaction to log
	Ack          Type = 3  // it is on the follower's disk; with counter 0: NEWLEADER's history is
	Commit       Type = 4  // a quorum has it
	Ping         Type = 5  // in both directions
	Revalidate   Type = 6  // does that session still exist? Also the answer
	Sync         Type = 7  // in both directions
	Inform       Type = 8  // a proposal and its commit in one, for observers
	NewLeader    Type = 10 // the whole history of the leader was sent
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

// String returns the type's name in ZooKeeper.
func (t Type) String() string { return typeNames[t] }

// Message is what one server sends another on the quorum port.
type Message struct {
	Type     Type
	Promised bool     // ACKEPOCH: the epoch was promised before, so this acknowledges nothing
	Epoch    Epoch    // ACKEPOCH: currentEpoch
	Zxid     Zxid     // FOLLOWERINFO and OBSERVERINFO: (acceptedEpoch, 0)
	Txn      Txn      // REQUEST, PROPOSAL and INFORM
	Snapshot Snapshot // SNAP. The host fills in the state when it sends it
	Asked    Asked    // REVALIDATE and SYNC
	Touched  []Touch  // a learner's PING
}

// Asked identifies a question that a learner asks for a client. The answer carries it back.
type Asked struct {
	Session int64
	Token   int64 // chosen by the learner's host to tell its questions apart
	OK      bool  // the answer to REVALIDATE
}

// Touch records activity of a session.
type Touch struct {
	Session int64
	Timeout int32 // ms
}

// Notification is what one server sends another on the election port.
type Notification struct {
	State State
	Vote  Vote
	Round uint64
}

// Vote names a server as the leader.
type Vote struct {
	Leader ID    // 0 for an observer, which votes for nobody
	Zxid   Zxid  // the last entry that the candidate has logged
	Epoch  Epoch // its current epoch; once it leads, the epoch that it leads
}
