package ensemble_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/testing/virtual"
	"github.com/zkviz/zkviz/engine/zookeeper/ensemble"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// newPost returns three servers with a leader that has just proposed three words, and the name of the nth proposal of
// these to a follower.
func newPost(t *testing.T) (w *virtual.World, follower int, nth func(int) fault.Message) {
	t.Helper()
	w = virtual.New(ensemble.Config{Voters: 3}, 1, 0)
	w.Start()
	w.Run(10 * time.Second)
	leader := int(w.Leader())
	follower = 1 + leader%3
	before := 0
	for _, e := range w.Record.Events {
		if e.Kind == event.MsgSent && e.Op == event.Proposal && e.Peer == event.Server(follower) {
			before++
		}
	}
	for i := range 3 {
		w.Server(w.Leader()).Propose(virtual.Word(fmt.Sprint("word ", i)), 0)
	}
	return w, follower, func(n int) fault.Message {
		return fault.Message{Op: event.Proposal, Nth: before + n, From: event.Server(leader), To: event.Server(follower)}
	}
}

// got returns when each message of a sort arrives at a server after begin.
func got(w *virtual.World, server int, op event.Op, begin time.Duration) (at []time.Duration) {
	for _, e := range w.Record.Events {
		if e.Kind == event.MsgReceived && e.Op == op && e.Actor == event.Server(server) && e.At >= begin {
			at = append(at, e.At-begin)
		}
	}
	return at
}

// strike injects a fault on a message now.
func strike(t *testing.T, w *virtual.World, k fault.Kind, m fault.Message, d time.Duration) {
	t.Helper()
	f := fault.Fault{Kind: k, At: w.Now, For: d, Message: m}
	e := w.Injected(f)
	if e.Cause == 0 {
		t.Fatalf("%q: it isn't on its way", f)
	}
	w.Inject(f, 0)
}

// TestDelay checks that a delayed message holds up those behind it, and no others.
func TestDelay(t *testing.T) {
	w, follower, nth := newPost(t)
	begin := w.Now
	strike(t, w, fault.DelayMessage, nth(2), time.Second)
	w.Run(begin + 100*time.Millisecond)
	w.Server(w.Leader()).Propose(virtual.Word("later"), 0)
	w.Run(begin + 4*time.Second)
	const ms = time.Millisecond
	want := []time.Duration{ms, 1001 * ms, 1001 * ms, 1001 * ms}
	if at := got(w, follower, event.Proposal, begin); !slices.Equal(at, want) {
		t.Errorf("the proposals arrive after %v", at)
	}
	sent := slices.IndexFunc(w.Record.Events, func(e event.Event) bool {
		return e.Kind == event.MsgSent && e.At > begin && e.Op == event.Proposal && e.Peer == event.Server(follower)
	})
	if flight := time.Duration(w.Record.Events[sent].N); flight != 901*ms {
		t.Errorf("what is sent behind it is said to take %v", flight)
	}
	if other := 6 - follower - int(w.Leader()); slices.Max(got(w, other, event.Proposal, begin)) > 110*ms {
		t.Error("the other follower waits, too")
	}
	if has, want := w.Apps[follower].String(), w.Apps[w.Leader()].String(); has != want {
		t.Errorf("the follower has%s, and the leader%s", has, want)
	}
}

// TestDelayBehindAPartition checks that a message that waits at a partition is delayed from now on.
func TestDelayBehindAPartition(t *testing.T) {
	w, follower, nth := newPost(t)
	begin := w.Now
	w.Inject(fault.Fault{Kind: fault.Partition, A: 1 << follower, B: 0b1110 &^ (1 << follower),
		For: 100 * time.Millisecond}, 0)
	w.Run(begin + 50*time.Millisecond)
	strike(t, w, fault.DelayMessage, nth(2), 500*time.Millisecond)
	w.Run(begin + 4*time.Second)
	const ms = time.Millisecond
	if at := got(w, follower, event.Proposal, begin); !slices.Equal(at, []time.Duration{101 * ms, 550 * ms, 550 * ms}) {
		t.Errorf("the proposals arrive after %v", at)
	}
}

// TestDeliver checks that a message is delivered at once, with those ahead of it, delayed or not, and that those behind
// it then come when they would have without a delay.
func TestDeliver(t *testing.T) {
	const soon, due, late = 200 * time.Microsecond, time.Millisecond, 2 * time.Millisecond
	for _, c := range []struct{ delay, at, third time.Duration }{
		{0, soon, due}, {time.Second, soon, due}, {time.Second, late, late},
	} {
		w, follower, nth := newPost(t)
		begin := w.Now
		if c.delay > 0 {
			strike(t, w, fault.DelayMessage, nth(1), c.delay)
		}
		w.Run(begin + c.at)
		strike(t, w, fault.DeliverMessage, nth(2), 0)
		w.Run(begin + 4*time.Second)
		at := got(w, follower, event.Proposal, begin)
		if want := []time.Duration{c.at, c.at, c.third}; !slices.Equal(at, want) {
			t.Errorf("delayed by %v, delivered after %v: the proposals arrive after %v", c.delay, c.at, at)
		}
		if has, want := w.Apps[follower].String(), w.Apps[w.Leader()].String(); has != want {
			t.Errorf("the follower has%s, and the leader%s", has, want)
		}
	}
}

// TestDrop checks that a lost message takes its connection with it, and that the follower gets all of it from the
// leader in the end.
func TestDrop(t *testing.T) {
	w, follower, nth := newPost(t)
	begin := w.Now
	strike(t, w, fault.DropMessage, nth(2), 0)
	w.Run(begin + 10*time.Second)
	lost := 0
	var closed []event.Actor
	for _, e := range w.Record.Events {
		switch {
		case e.At < begin:
		case e.Kind == event.MsgDropped && e.Op == event.Proposal:
			lost++
		case e.Kind == event.LeaderLost:
			closed = append(closed, e.Actor)
		}
	}
	if lost != 3 || !slices.Equal(closed, []event.Actor{event.Server(follower)}) {
		t.Errorf("%d proposals are lost, and %v gives up its leader", lost, closed)
	}
	if has, want := w.Apps[follower].String(), w.Apps[w.Leader()].String(); has != want {
		t.Errorf("the follower has%s, and the leader%s", has, want)
	}
}

// newElection returns three servers that elect a leader for the first time, and what each has been told since then:
// the sender, the vote, and when in milliseconds.
func newElection() (w *virtual.World, heard func(server int) []string) {
	w = virtual.New(ensemble.Config{Voters: 3}, 1, 0)
	w.Start()
	w.Run(100 * time.Microsecond)
	return w, func(server int) (list []string) {
		for _, e := range w.Record.Events {
			if e.Kind == event.MsgReceived && e.Op == event.Notification && e.Actor == event.Server(server) {
				list = append(list, fmt.Sprintf("%v: %s at %.1f", e.Peer, e.Text, float64(e.At.Microseconds())/1000))
			}
		}
		return list
	}
}

// vote names a vote from one server to another.
func vote(nth, from, to int) fault.Message {
	return fault.Message{Op: event.Notification, Nth: nth, From: event.Server(from), To: event.Server(to)}
}

// TestDropVote checks that a lost vote takes its connection with it: what goes the other way is lost, and what either
// end sends before it knows. The next one to send opens another, and is told the other's last vote again.
func TestDropVote(t *testing.T) {
	w, heard := newElection()
	strike(t, w, fault.DropMessage, vote(1, 1, 3), 0)
	w.Run(time.Second)
	if got, want := heard(3), []string{"server-2: server-2 at 1.0", "server-2: server-3 at 2.0",
		"server-1: server-3 at 3.0"}; !slices.Equal(got, want) {
		t.Errorf("server-3 is told %q", got)
	}
	if got, want := heard(1), []string{"server-2: server-2 at 1.0", "server-2: server-3 at 2.0",
		"server-3: server-3 at 4.0"}; !slices.Equal(got, want) {
		t.Errorf("server-1 is told %q", got)
	}
	if w.Leader() != 3 || w.Server(1).Node().State() != zab.Following {
		t.Errorf("server-%d leads, and server-1 is %v", w.Leader(), w.Server(1).Node().State())
	}
}

// TestDelayVote checks that a vote that is held up holds up those behind it, and none the other way.
func TestDelayVote(t *testing.T) {
	w, heard := newElection()
	strike(t, w, fault.DelayMessage, vote(1, 2, 1), 20*time.Millisecond)
	w.Run(time.Second)
	got, want := heard(1), []string{"server-3: server-3 at 1.0", "server-2: server-2 at 21.0",
		"server-2: server-3 at 21.0"}
	if !slices.Equal(got, want) {
		t.Errorf("server-1 is told %q", got)
	}
	if got := heard(2); len(got) < 3 || got[0] != "server-1: server-1 at 1.0" {
		t.Errorf("server-2 is told %q", got)
	}
}

// TestDeliverVote checks that a vote is delivered at once.
func TestDeliverVote(t *testing.T) {
	w, heard := newElection()
	strike(t, w, fault.DeliverMessage, vote(1, 3, 1), 0)
	w.Run(time.Second)
	if got := heard(1); got[0] != "server-3: server-3 at 0.1" {
		t.Errorf("server-1 is told %q", got)
	}
}

// TestLateVoteOfADeadProcess checks that what a process has sent doesn't arrive once the process that took its place
// has sent something.
func TestLateVoteOfADeadProcess(t *testing.T) {
	w, heard := newElection()
	strike(t, w, fault.DelayMessage, vote(1, 1, 3), time.Second)
	w.Crash(1, 100*time.Millisecond, 0)
	w.Run(5 * time.Second)
	for _, told := range heard(3) {
		if told[len(told)-6:] == "1001.0" {
			t.Errorf("server-3 is told %q", told)
		}
	}
	if w.Server(1).Node().State() == zab.Looking {
		t.Error("server-1 finds no leader")
	}
}

// TestMissedMessage checks that a fault on a message that isn't on its way does nothing.
func TestMissedMessage(t *testing.T) {
	for _, k := range fault.ToMessages() {
		w, _, nth := newPost(t)
		w.Run(w.Now + time.Second)
		before := len(w.Record.Events)
		for _, m := range []fault.Message{nth(1), nth(4),
			{Op: event.Snap, Nth: 1, From: event.Server(1), To: event.Server(2)}} {
			f := fault.Fault{Kind: k, Message: m, For: time.Second}
			if e := w.Injected(f); e.Cause != 0 || e.N != 0 {
				t.Errorf("%q: %+v", f, e)
			}
			w.Inject(f, 0)
		}
		if len(w.Record.Events) != before {
			t.Errorf("%s: something happened", k)
		}
	}
}

// posted knows the names of the messages that servers have sent.
type posted struct {
	count map[fault.Message]int // by name, without Nth
	list  []fault.Message
}

func (p *posted) add(e event.Event) {
	m, ok := fault.Of(e)
	if !ok {
		return
	}
	if p.count == nil {
		p.count = map[fault.Message]int{}
	}
	p.count[m]++
	m.Nth = p.count[m]
	p.list = append(p.list, m)
}

// strike drops, delays or delivers some of the last messages. It returns how many of them were on their way.
func (p *posted) strike(w *virtual.World, chance *rand.Rand) (hits int) {
	for _, m := range p.list[max(0, len(p.list)-20):] {
		if chance.IntN(4) > 0 {
			continue
		}
		kinds := fault.ToMessages()
		f := fault.Fault{Kind: kinds[chance.IntN(len(kinds))], Message: m}
		if f.Kind.Lasts() {
			f.For = time.Duration(1 + chance.Int64N(int64(3*time.Second)))
		}
		if w.Injected(f).Cause > 0 {
			hits++
		}
		w.Inject(f, 0)
	}
	return hits
}

// TestStrikesHit checks that the trials' faults on messages find some on their way.
func TestStrikesHit(t *testing.T) {
	hits := 0
	for seed := range uint64(20) {
		chance, w := rand.New(rand.NewPCG(seed, 2)), virtual.New(ensemble.Config{Voters: 3}, seed, 3*time.Millisecond)
		var p posted
		w.Sink = p.add
		w.Start()
		w.Run(10 * time.Second)
		w.Server(w.Leader()).Propose(virtual.Word("x"), 0)
		w.Run(w.Now + time.Duration(chance.IntN(4000))*time.Microsecond)
		hits += p.strike(w, chance)
	}
	if hits < 5 {
		t.Errorf("of twenty, %d hit", hits)
	}
}
