package zab

import (
	"slices"
	"strings"
	"testing"
)

// sized is a transaction for tests.
type sized int

func (s sized) Digest() uint64 { return uint64(s) }
func (s sized) Bytes() int     { return int(s) }

// logOf returns a log with these zxids. 1.2 stands for the second transaction of epoch 1.
func logOf(zxids ...float64) (log []Entry) {
	for _, z := range zxids {
		log = append(log, Entry{zxid(z), sized(10)})
	}
	return log
}

func zxid(z float64) Zxid { return ZxidOf(Epoch(z), uint32(z*10+0.5)%10) }

// TestChoose checks how a learner catches up under each of the five rules.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name            string
		last, processed float64
		log             []Entry
		window          int
		fits            bool
		want            Type
		to              float64
		rule, missing   int
	}{
		{"the same", 1.2, 1.2, logOf(1.1, 1.2), 500, false, Diff, 1.2, 1, 0},
		{"nothing, as its leader", 0, 0, nil, 500, false, Diff, 0, 1, 0},
		{"more than its leader", 1.3, 2.0, logOf(1.1, 1.2), 500, false, Trunc, 1.2, 2, 0},
		{"an epoch without transactions is not more", 3.0, 2.0, logOf(1.1, 1.2), 500, false, Snap, 2.0, 5, 0},
		{"one is missing", 1.1, 1.2, logOf(1.1, 1.2), 500, false, Diff, 1.2, 3, 1},
		{"up to the end of an epoch", 1.2, 2.2, logOf(1.1, 1.2, 2.1, 2.2), 500, false, Diff, 2.2, 3, 2},
		{"the last, of a leader that has proposed nothing", 1.2, 2.0, logOf(1.1, 1.2), 500, false, Diff, 1.2, 3, 0},
		{"an epoch's beginning", 2.0, 2.2, logOf(1.1, 2.1, 2.2), 500, false, Diff, 2.2, 3, 2},
		{"a tail within an epoch", 1.2, 1.4, logOf(1.1, 1.3, 1.4), 500, false, Trunc, 1.1, 3, 2},
		{"a tail across an epoch", 1.2, 2.1, logOf(1.1, 2.1), 500, false, Snap, 2.1, 3, 0},
		{"before the window, in files that fit", 1.1, 1.4, logOf(1.1, 1.2, 1.3, 1.4), 2, true, Diff, 1.4, 4, 3},
		{"before the window, in files that do not", 1.1, 1.4, logOf(1.1, 1.2, 1.3, 1.4), 2, false, Snap, 1.4, 5, 0},
		{"before the log", 1.1, 1.4, logOf(1.2, 1.3, 1.4), 2, true, Snap, 1.4, 5, 0},
		{"nothing, of a leader that has proposed nothing", 0, 1.0, nil, 500, false, Snap, 1.0, 5, 0},
	} {
		got := choose(zxid(c.last), zxid(c.processed), c.log, c.window, c.fits)
		if got.Type != c.want || got.To != zxid(c.to) || got.Rule != c.rule || len(got.missing) != c.missing {
			t.Errorf("%s: %v to %v by rule %d and %d more; want %v to %v by rule %d and %d", c.name, got.Type, got.To,
				got.Rule, len(got.missing), c.want, zxid(c.to), c.rule, c.missing)
		}
	}
}

// TestFiles checks which log files begin after a transaction, after everything that can happen to a log.
func TestFiles(t *testing.T) {
	d := &Disk{}
	add := func(zxids ...float64) {
		for _, e := range logOf(zxids...) {
			d.Append(e)
		}
		d.Sync(d.Last())
	}
	is := func(what string, z float64, want int) {
		t.Helper()
		if got := d.filesAfter(zxid(z)); got != want {
			t.Errorf("%s: %d files begin behind %v, want %d: %v", what, got, z, want, d.Files)
		}
	}
	d.Roll()
	add(1.1, 1.2)
	is("one file", 1.1, 0)
	d.Roll()
	add(1.3, 1.4)
	is("two files", 1.2, 1)
	is("within the second", 1.3, 0)
	d.Roll()
	add(1.5)
	d.Truncate(zxid(1.4))
	is("the third is cut off", 1.2, 1)
	add(1.5)
	is("after that a new one begins", 1.2, 2)
	d.Roll()
	d.Append(logOf(1.6)[0])
	d.LosePower()
	is("what was not on the disk is gone", 1.2, 2)
	d.Shorten(Snapshot{Zxid: zxid(1.5)}, 3)
	is("a shortened log", 1.2, 1)
	add(1.7)
	is("after a snapshot a new one begins", 1.2, 2)
	d.Save(Snapshot{Zxid: zxid(2.1)})
	is("a copy", 1.2, 0)
}

// TestVotes checks that votes and a leader's view of a follower's history order by epoch first, then zxid. For
// votes, the server decides last.
func TestVotes(t *testing.T) {
	rising := []Vote{{}, {1, zxid(1.1), 1}, {2, zxid(1.1), 1}, {1, zxid(1.2), 1}, {1, zxid(1.1), 2}, {3, zxid(1.1), 2}}
	n := &Node{}
	n.election.node, n.history.node = n, n
	for i, a := range rising {
		for j, b := range rising {
			if got := n.election.better(a, b); got != (i > j) {
				t.Errorf("%v is better than %v: %t", a, b, got)
			}
			n.history.current, n.history.logged = b.Epoch, b.Zxid
			more := a.Epoch > b.Epoch || a.Epoch == b.Epoch && a.Zxid > b.Zxid
			if got := n.history.behind(&Message{Epoch: a.Epoch, Zxid: a.Zxid}); got != more {
				t.Errorf("a leader with %v is behind %v: %t", b, a, got)
			}
		}
	}
	n.cfg.Flaws = VotesByZxid
	n.history.current, n.history.logged = rising[3].Epoch, rising[3].Zxid
	if n.election.better(rising[4], rising[3]) ||
		n.history.behind(&Message{Epoch: rising[4].Epoch, Zxid: rising[4].Zxid}) {
		t.Error("a server that goes by zxids counts the epoch")
	}
}

// TestQuorum checks that any two quorums share a server, unless a flaw breaks that.
func TestQuorum(t *testing.T) {
	for voters, want := range []int{1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 4, 7: 4, 8: 5, 9: 5} {
		if voters > 0 && Quorum(voters) != want {
			t.Errorf("of %d it takes %d", voters, Quorum(voters))
		}
	}
	cfg := Config{Voters: []ID{1, 2, 3, 4}}
	q := cfg.quorumVerifier()
	if q.contains(SetOf(1, 2)) || q.contains(SetOf(1, 2, 5)) || !q.contains(SetOf(1, 2, 3)) {
		t.Error("a quorum of four is three voters")
	}
	cfg.Flaws = HalfIsEnough
	if q = cfg.quorumVerifier(); !q.contains(SetOf(1, 2)) {
		t.Error("half is not enough")
	}
	cfg.Flaws = CountsObservers
	if q = cfg.quorumVerifier(); !q.contains(SetOf(1, 2, 5)) {
		t.Error("observers are not counted")
	}
}

// TestRefusesToStart checks that a server refuses a disk whose epochs are out of order.
func TestRefusesToStart(t *testing.T) {
	for _, c := range []struct {
		disk Disk
		ok   bool
	}{
		{Disk{}, true},
		{Disk{Accepted: 2, Current: 1, Log: logOf(1.1)}, true},
		{Disk{Accepted: 2, Current: 1, Log: logOf(2.1)}, true}, // it crashed between its log and its currentEpoch
		{Disk{Accepted: 1, Current: 1, Log: logOf(2.1)}, false},
		{Disk{Accepted: 1, Current: 2}, false},
	} {
		if _, ok := New(Config{ID: 1, Voters: []ID{1}}, &c.disk); ok != c.ok {
			t.Errorf("%+v: it starts: %t", c.disk, ok)
		}
	}
}

// TestDisk checks what remains after a power loss, a truncation and a snapshot.
func TestDisk(t *testing.T) {
	var d Disk
	for _, e := range logOf(1.1, 1.2, 1.3) {
		d.Append(e)
	}
	d.Sync(zxid(1.2))
	if d.Last() != zxid(1.3) || d.Synced() != zxid(1.2) || len(d.After(zxid(1.1))) != 2 {
		t.Errorf("%+v", d)
	}
	d.LosePower()
	if d.Last() != zxid(1.2) {
		t.Errorf("after a power loss %v", d.Last())
	}
	d.Truncate(zxid(1.1))
	if d.Last() != zxid(1.1) || d.Synced() != zxid(1.1) {
		t.Errorf("cut to %v, on disk to %v", d.Last(), d.Synced())
	}
	for _, e := range logOf(1.2, 2.1) {
		d.Append(e)
	}
	d.Sync(zxid(2.1))
	if d.Append(logOf(1.3)[0]); d.Last() != zxid(2.1) || !d.Has(zxid(1.3)) || d.Durable == len(d.Log) {
		t.Errorf("with an entry that comes too late %+v", d)
	}
	if d.Sync(d.Last()); d.Durable != 4 || d.Synced() != zxid(2.1) {
		t.Errorf("once that is on the disk %+v", d)
	}
	d.Save(Snapshot{Zxid: zxid(2.0)})
	if d.Last() != zxid(2.0) || d.Synced() != zxid(2.0) || len(d.Log) > 0 {
		t.Errorf("with a snapshot %+v", d)
	}
}

// TestFlawNames checks that each flaw has a name of its own.
func TestFlawNames(t *testing.T) {
	var all Flaws
	for f := Flaws(1); f < flawsEnd; f <<= 1 {
		if got, ok := ParseFlaw(f.String()); !ok || got != f {
			t.Errorf("%q is read as %v, %t", f, got, ok)
		}
		all |= f
	}
	if all != AllFlaws() || len(strings.Fields(all.String())) != 12 {
		t.Errorf("the flaws are %v", all)
	}
	if _, ok := ParseFlaw("honest"); ok {
		t.Error("there is a flaw called honest")
	}
}

// TestZxid checks that the epoch is the upper half.
func TestZxid(t *testing.T) {
	z := ZxidOf(3, MaxCounter)
	if z.Epoch() != 3 || z.Counter() != MaxCounter || z.String() != "0x3ffffffff" {
		t.Errorf("%v is %d of epoch %d", z, z.Counter(), z.Epoch())
	}
}

// TestAcksOfBefore checks that a follower's old acknowledgements stop counting when it synchronizes again, since it
// then cuts off those entries. New acknowledgements count.
func TestAcksOfBefore(t *testing.T) {
	n, _ := New(Config{ID: 3, Voters: []ID{1, 2, 3}}, &Disk{})
	step := func(from ID, m Message) { n.Step(0, from, &m) }
	join := func() {
		step(2, Message{Type: FollowerInfo})
		step(2, Message{Type: AckEpoch, Promised: n.leader.adopted() && n.leader.epoch > 0})
		step(2, Message{Type: Ack, Zxid: zxid(1.0)})
	}
	n.Start(0)
	n.join(n.election.ownVote())
	join()
	n.Propose(0, sized(1))
	step(2, Message{Type: Ack, Zxid: zxid(1.1)})
	n.Closed(0, 2)
	join()
	n.Synced(0, zxid(1.1))
	if n.Outstanding() != 1 {
		t.Fatalf("with the leader's own acknowledgement %d are outstanding", n.Outstanding())
	}
	step(2, Message{Type: Ack, Zxid: zxid(1.1)})
	if n.Outstanding() != 0 {
		t.Errorf("with a quorum's acknowledgements %d are outstanding", n.Outstanding())
	}
}

// TestSnapshotBeforeNewLeader checks a follower that loses its leader between the snapshot and NEWLEADER. It has a
// history of that epoch and votes with it.
func TestSnapshotBeforeNewLeader(t *testing.T) {
	n, _ := New(Config{ID: 1, Voters: []ID{1, 2, 3}}, &Disk{})
	n.Start(0)
	n.join(Vote{Leader: 3})
	n.Dialled(0, 3, true)
	n.Step(0, 3, &Message{Type: LeaderInfo, Zxid: zxid(2.0)})
	n.Step(0, 3, &Message{Type: Snap, Zxid: zxid(2.0)})
	n.Take()
	n.Closed(0, 3)
	if v := n.election.ownVote(); v != (Vote{1, zxid(2.0), 2}) {
		t.Errorf("it votes %v", v)
	}
	if !slices.ContainsFunc(n.Take(), func(e Effect) bool { return e.Kind == SetCurrent && e.Epoch == 2 }) {
		t.Error("its disk does not have the epoch")
	}
}

// TestWhoAnswersALaterRound checks that a voter answers another whose round is over. An observer stays silent, or
// the voter would repeat itself at once.
func TestWhoAnswersALaterRound(t *testing.T) {
	for id, answers := range map[ID]bool{1: true, 4: false} {
		n, _ := New(Config{ID: id, Voters: []ID{1, 2, 3}, Observers: []ID{4}}, &Disk{})
		n.Start(0)
		n.election.round = 2
		n.Take()
		n.Hear(0, 2, Notification{State: Looking, Vote: Vote{Leader: 2}, Round: 1})
		notifies := slices.ContainsFunc(n.Take(), func(e Effect) bool { return e.Kind == Notify && e.To == 2 })
		if notifies != answers {
			t.Errorf("server %d answers: %t", id, notifies)
		}
	}
}

// TestBreaksPromise checks what a follower does with the proposals of a leader that it has left: it has hung up, and
// ignores them. With the flaw it does neither, and says yes.
func TestBreaksPromise(t *testing.T) {
	for _, flaws := range []Flaws{0, BreaksPromise} {
		n, _ := New(Config{ID: 1, Voters: []ID{1, 2, 3}, Flaws: flaws}, &Disk{Accepted: 1, Current: 1, Log: logOf(1.1)})
		n.Start(0)
		n.join(Vote{Leader: 3})
		n.Dialled(0, 3, true)
		n.lose(Silent)
		n.join(Vote{Leader: 2})
		n.Dialled(0, 2, true)
		n.Step(0, 2, &Message{Type: LeaderInfo, Zxid: zxid(2.0)})
		for _, typ := range []Type{Diff, NewLeader, UpToDate} {
			n.Step(0, 2, &Message{Type: typ, Zxid: zxid(2.0)})
		}
		n.Step(0, 2, &Message{Type: Proposal, Zxid: zxid(2.1)})
		n.Step(0, 3, &Message{Type: Proposal, Zxid: zxid(1.2)})
		did := map[EffectKind]bool{}
		for _, e := range n.Take() {
			is := e.To == 3 && (e.Kind == Hangup || e.Kind == Send && e.Message.Type == Ack) ||
				e.Kind == Append && e.Entry.Zxid == zxid(1.2)
			did[e.Kind] = did[e.Kind] || is
		}
		want := flaws == BreaksPromise
		if did[Hangup] == want || did[Append] != want || did[Send] != want {
			t.Errorf("with %q: it hangs up: %v, logs: %v, acknowledges: %v", flaws, did[Hangup], did[Append], did[Send])
		}
		if n.history.logged != zxid(2.1) || n.Leader() != 2 {
			t.Errorf("with %q: its log goes to %v, and it follows %d", flaws, n.history.logged, n.Leader())
		}
	}
}
