package zab

import (
	"math"
	"slices"
	"time"
)

// Never is the Deadline of a Node that waits only for other servers.
const Never = time.Duration(math.MaxInt64)

// Node is one server.
type Node struct {
	cfg    Config
	disk   *Disk // only read; effects that are not carried out yet come on top
	voters Set
	id     ID
	now    time.Duration

	state State
	phase Phase
	vote  Vote // for its leader, once it is not Looking

	accepted, current Epoch
	logged            Zxid // the last entry in its log, once all effects are carried out
	processed         Zxid // the last transaction in its state; (epoch, 0) for a new leader
	epoch             Epoch

	election election
	follow   follow
	lead     lead

	own       []Notification // to itself
	unacked   []Zxid         // logged; acknowledged once they are on the disk
	touched   []Touch
	touchedAt map[int64]int // a session's index in touched
	effects   []Effect
}

// New returns a server that starts with that disk. It reports false if the epochs on the disk are impossible. Such
// a server refuses to start.
func New(cfg Config, disk *Disk) (*Node, bool) {
	n := &Node{cfg: cfg.withDefaults(), disk: disk, id: cfg.ID, voters: SetOf(cfg.Voters...)}
	n.accepted, n.current, n.logged = disk.Accepted, disk.Current, disk.Last()
	if cfg.Flaws.Has(ForgetsPromise) {
		n.accepted = n.current
	}
	// A server may crash after it wrote its log or its leader's snapshot and before it wrote currentEpoch. It then
	// has a history of that epoch and may say so.
	if e := n.logged.Epoch(); e > n.current && e <= n.accepted {
		n.current = e
	}
	return n, n.logged.Epoch() <= n.current && n.current <= n.accepted
}

// Start begins the first election.
func (n *Node) Start(now time.Duration) {
	n.now = now
	n.do(Effect{Kind: Reload})
	if n.current > n.disk.Current {
		n.do(Effect{Kind: SetCurrent, Epoch: n.current})
	}
	n.processed = n.logged
	n.look()
	n.settle()
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

func (n *Node) do(e Effect) { n.effects = append(n.effects, e) }

func (n *Node) send(to ID, m Message) { n.do(Effect{Kind: Send, To: to, Message: m}) }

func (n *Node) enter(s State, p Phase) {
	n.state, n.phase = s, p
	n.do(Effect{Kind: Phases, State: s, Phase: p, To: n.Leader()})
}

// append writes an entry to the log.
func (n *Node) append(e Entry) {
	n.logged = e.Zxid
	n.do(Effect{Kind: Append, Entry: e})
}

func (n *Node) deliver(e Entry) {
	n.processed = e.Zxid
	n.do(Effect{Kind: Deliver, Entry: e})
}

// promise writes acceptedEpoch.
func (n *Node) promise(e Epoch, to ID) {
	n.accepted = e
	if n.cfg.Flaws.Has(ForgetsPromise) {
		n.do(Effect{Kind: Promises, Epoch: e, To: to})
	} else {
		n.do(Effect{Kind: SetAccepted, Epoch: e, To: to})
	}
}

// adopt writes currentEpoch.
func (n *Node) adopt(e Epoch, of ID) {
	n.current = e
	n.do(Effect{Kind: SetCurrent, Epoch: e, To: of})
}

// lose gives up the leader, or the leadership, and begins an election. Logged but uncommitted entries now count
// like all others. An election decides about them.
func (n *Node) lose(why Reason) {
	n.do(Effect{Kind: Loses, Reason: why})
	if n.phase == Broadcast {
		n.do(Effect{Kind: Stop})
	}
	if n.state == Leading {
		for id := range n.lead.learners {
			if n.lead.learners[id].stage != away {
				n.do(Effect{Kind: Hangup, To: ID(id)})
			}
		}
	} else if n.follow.connected {
		n.do(Effect{Kind: Hangup, To: n.vote.Leader})
	}
	n.lead.clear()
	n.follow.clear()
	n.unacked = n.unacked[:0]
	n.do(Effect{Kind: CatchUp})
	n.processed = n.logged
	if e := n.logged.Epoch(); e > n.current { // the server lost its leader between the snapshot and NEWLEADER; see New
		n.adopt(e, 0)
	}
	n.look()
}

// settle delivers the notifications that the server sent to itself.
func (n *Node) settle() {
	for len(n.own) > 0 {
		b := n.own[0]
		n.own = n.own[:copy(n.own, n.own[1:])]
		if n.state == Looking {
			n.count(n.id, b)
		}
	}
}

// Hear handles an election notification.
func (n *Node) Hear(now time.Duration, from ID, b Notification) {
	n.now = now
	n.hear(from, b)
	n.settle()
}

// Step handles a message on the connection to that server.
func (n *Node) Step(now time.Duration, from ID, m *Message) {
	n.now = now
	switch {
	case n.state == Leading:
		n.fromLearner(from, m)
	case n.state != Looking && from == n.vote.Leader && n.follow.connected:
		n.fromLeader(m)
	}
	n.settle()
}

// Dialled reports the outcome of a Dial.
func (n *Node) Dialled(now time.Duration, to ID, ok bool) {
	n.now = now
	if n.state != Looking && n.state != Leading && to == n.vote.Leader && !n.follow.connected {
		n.dialled(ok)
	}
	n.settle()
}

// Closed reports that the connection to that server closed.
func (n *Node) Closed(now time.Duration, with ID) {
	n.now = now
	switch {
	case n.state == Leading:
		n.lead.learners[with] = learner{}
	case n.state != Looking && with == n.vote.Leader && n.follow.connected:
		n.follow.connected = false
		n.lose(Closed)
	}
	n.settle()
}

// Synced reports that the log is on the disk up to z.
func (n *Node) Synced(now time.Duration, z Zxid) {
	n.now = now
	i := 0
	for i < len(n.unacked) && n.unacked[i] <= z {
		i++
	}
	synced := slices.Clone(n.unacked[:i])
	n.unacked = n.unacked[:copy(n.unacked, n.unacked[i:])]
	if n.cfg.Flaws.Has(CommitsOutOfOrder) {
		slices.Reverse(synced)
	}
	for _, z := range synced {
		n.ackOwn(z)
	}
	n.settle()
}

// ackOwn acknowledges an entry that is on the server's own disk.
func (n *Node) ackOwn(z Zxid) {
	switch n.state {
	case Leading:
		n.acked(n.id, z)
	case Following:
		n.send(n.vote.Leader, Message{Type: Ack, Zxid: z})
	}
}

// owe makes the server acknowledge z once it is on its disk.
func (n *Node) owe(z Zxid) {
	if n.cfg.Flaws.Has(AcksBeforeSync) {
		n.ackOwn(z)
		return
	}
	n.unacked = append(n.unacked, z)
}

// Deadline returns when the server must be woken if nothing happens before.
func (n *Node) Deadline() time.Duration {
	switch n.state {
	case Looking:
		return n.election.deadline()
	case Leading:
		return n.lead.deadline()
	}
	return n.follow.deadlineWith(n.patience())
}

// Wake makes the server check its timers. Hosts may call it at any time.
func (n *Node) Wake(now time.Duration) {
	n.now = now
	switch n.state {
	case Looking:
		n.lookAgain()
	case Leading:
		n.leadOn()
	default:
		n.followOn()
	}
	n.settle()
}
