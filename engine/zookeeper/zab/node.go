package zab

import (
	"math"
	"slices"
	"time"
)

// Never is the Deadline of a Node that waits only for other servers.
const Never = time.Duration(math.MaxInt64)

// Node is one server. Its parts have the names that they have in ZooKeeper and in the paper.
type Node struct {
	cfg    Config
	quorum quorumVerifier
	id     ID
	now    time.Duration

	state State
	phase Phase
	vote  Vote // for its leader, once it is not Looking

	history  history
	election election // while it is Looking
	leader   leader   // while it is Leading
	learner  learner  // while it is Following or Observing

	effects []Effect
}

// New returns a server that starts with that disk. It reports false if the epochs on the disk are impossible. Such
// a server refuses to start.
func New(cfg Config, disk *Disk) (*Node, bool) {
	n := &Node{cfg: cfg.withDefaults(), quorum: cfg.quorumVerifier(), id: cfg.ID}
	n.election.node, n.leader.node, n.learner.node = n, n, n
	n.history = history{node: n, disk: disk}
	return n, n.history.recover()
}

// Start begins the first election.
func (n *Node) Start(now time.Duration) {
	n.now = now
	n.do(Effect{Kind: Reload})
	if n.history.current > n.history.disk.Current {
		n.do(Effect{Kind: SetCurrent, Epoch: n.history.current})
	}
	n.history.processed = n.history.logged
	n.election.begin()
	n.election.hearSelf()
}

// Take returns what the host must do, in order. The Node owns the list. It is valid until the Node's next input.
func (n *Node) Take() []Effect {
	list := n.effects
	n.effects = n.effects[:0]
	return list
}

// State returns the role that the server believes it has.
func (n *Node) State() State { return n.state }

// Phase returns how far the server has come in its role.
func (n *Node) Phase() Phase { return n.phase }

// Leader returns the leader of this server: itself if it leads, 0 if it has none.
func (n *Node) Leader() ID {
	if n.state == Looking {
		return 0
	}
	return n.vote.Leader
}

// Serves reports whether clients are served: the server is up to date with a leader that a quorum follows.
func (n *Node) Serves() bool { return n.phase == Broadcast }

// Listens reports whether other servers can connect to its quorum port.
func (n *Node) Listens() bool { return n.state == Leading }

// do adds an effect for the host.
func (n *Node) do(e Effect) { n.effects = append(n.effects, e) }

func (n *Node) send(to ID, m Message) { n.do(Effect{Kind: Send, To: to, Message: m}) }

// enter changes the role or the phase.
func (n *Node) enter(s State, p Phase) {
	n.state, n.phase = s, p
	n.do(Effect{Kind: Phases, State: s, Phase: p, To: n.Leader()})
}

// lose gives up the leader, or the leadership, and begins an election. Logged but uncommitted entries now count
// like all others. An election decides about them.
func (n *Node) lose(why Reason) {
	n.do(Effect{Kind: Loses, Reason: why})
	if n.phase == Broadcast {
		n.do(Effect{Kind: Stop})
	}
	if n.state == Leading {
		n.leader.end()
	} else {
		n.learner.end()
	}
	n.history.keepAll()
	n.election.begin()
}

// join ends the election: the server leads, or joins its leader.
func (n *Node) join(v Vote) {
	n.vote = v
	n.election.end()
	switch {
	case v.Leader == n.id:
		n.leader.begin()
	case n.quorum.voters.Has(n.id):
		n.learner.begin(Following)
	default:
		n.learner.begin(Observing)
	}
}

// Hear handles an election notification.
func (n *Node) Hear(now time.Duration, from ID, b Notification) {
	n.now = now
	n.election.hear(from, b)
	n.election.hearSelf()
}

// Step handles a message on the connection to that server.
func (n *Node) Step(now time.Duration, from ID, m *Message) {
	n.now = now
	switch {
	case n.state == Leading:
		n.leader.receive(from, m)
	case n.state != Looking && from == n.vote.Leader && n.learner.connected:
		n.learner.receive(m)
	case m.Type == Proposal && n.cfg.Flaws.Has(BreaksPromise):
		n.learner.obeyFormer(from, m)
	}
	n.election.hearSelf()
}

// Dialled reports the outcome of a Dial.
func (n *Node) Dialled(now time.Duration, to ID, ok bool) {
	n.now = now
	if n.state != Looking && n.state != Leading && to == n.vote.Leader && !n.learner.connected {
		n.learner.dialled(ok)
	}
	n.election.hearSelf()
}

// Closed reports that the connection to that server closed.
func (n *Node) Closed(now time.Duration, with ID) {
	n.now = now
	switch {
	case n.state == Leading:
		n.leader.learners[with] = learnerHandler{}
	case n.state != Looking && with == n.vote.Leader && n.learner.connected:
		n.learner.connected = false
		n.lose(Closed)
	}
	n.election.hearSelf()
}

// Synced reports that the log is on the disk up to z.
func (n *Node) Synced(now time.Duration, z Zxid) {
	n.now = now
	synced := n.history.synced(z)
	if n.cfg.Flaws.Has(CommitsOutOfOrder) {
		slices.Reverse(synced)
	}
	for _, z := range synced {
		n.acknowledge(z)
	}
	n.election.hearSelf()
}

// acknowledge acknowledges an entry that is on the server's own disk.
func (n *Node) acknowledge(z Zxid) {
	switch n.state {
	case Leading:
		n.leader.processAck(n.id, z)
	case Following:
		n.send(n.vote.Leader, Message{Type: Ack, Zxid: z})
	}
}

// Deadline returns when the server must be woken if nothing happens before.
func (n *Node) Deadline() time.Duration {
	switch n.state {
	case Looking:
		return n.election.deadline()
	case Leading:
		return n.leader.deadline()
	}
	return n.learner.deadline()
}

// Wake makes the server check its timers. Hosts may call it at any time.
func (n *Node) Wake(now time.Duration) {
	n.now = now
	switch n.state {
	case Looking:
		n.election.checkTimers()
	case Leading:
		n.leader.checkTimers()
	default:
		n.learner.checkTimers()
	}
	n.election.hearSelf()
}
