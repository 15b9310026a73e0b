package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
)

func gets(n, from int, op event.Op, epoch, counter int64) event.Event {
	e := sends(n, from, op, epoch, counter)
	e.Kind = event.MsgReceived
	return e
}

func stops(n int, how event.Reason) event.Event {
	return event.Event{Kind: event.ServerStopped, Actor: event.Server(n), Reason: how}
}

func starts(n int) event.Event { return event.Event{Kind: event.ServerStarted, Actor: event.Server(n)} }

func loads(n, from int, epoch, counter int64) event.Event {
	return event.Event{Kind: event.SnapshotLoaded, Actor: event.Server(n), Peer: event.Server(from),
		Zxid: epoch<<32 | counter}
}

func hears(client event.Actor, epoch, counter int64) event.Event {
	return event.Event{Kind: event.OpDone, Actor: client, Op: event.Set, Zxid: epoch<<32 | counter}
}

// votes returns n's vote for a server with that currentEpoch, whose log ends with a zxid.
func votes(n, of int, current int32, epoch, counter int64) event.Event {
	return event.Event{Kind: event.VoteCast, Actor: event.Server(n), Peer: event.Server(of), Code: current,
		Zxid: epoch<<32 | counter}
}

// judged returns the invariants that a log breaks, each once, and the sentence for each break.
func judged(t *testing.T, servers int, log []event.Event) (rules, says []string) {
	t.Helper()
	h := event.Header{Systems: []event.System{{Kind: event.ZooKeeperSystem, Servers: servers}}}
	checker := check.New(promise.Invariants(), h)
	for i, e := range log {
		e.Seq = event.Seq(i + 1)
		checker.Append(e)
	}
	for _, v := range checker.Report().Violations {
		if err := checkSaid(v); err != nil {
			t.Error(err)
		}
		rules, says = append(rules, v.Rule), append(says, said(v.Sentence))
	}
	slices.Sort(rules)
	return slices.Compact(rules), says
}

// inDoubt returns a transaction that all three have on their disks, and that nobody has applied.
func inDoubt() []event.Event {
	return []event.Event{proposed(3, 1, 2), logged(3, 1, 2), onDisk(3, 1, 2), logged(1, 1, 2), onDisk(1, 1, 2),
		logged(2, 1, 2), onDisk(2, 1, 2)}
}

// TestLegalLogs: these logs look broken, and aren't.
func TestLegalLogs(t *testing.T) {
	three := slices.Concat(begins(1, 3, 1, 2), writes(1, 1, 3, 1, 2))
	five := slices.Concat(begins(1, 3, 1, 2, 4, 5), writes(1, 1, 3, 1, 2, 4, 5))
	for name, log := range map[string][]event.Event{
		"what a crash leaves in the log is on the disk once the log is cut behind it": slices.Concat(three,
			[]event.Event{proposed(3, 1, 2), logged(3, 1, 2), onDisk(3, 1, 2), logged(2, 1, 2), onDisk(2, 1, 2),
				logged(1, 1, 2), proposed(3, 1, 3), logged(1, 1, 3), stops(1, event.ServerCrashed), starts(1),
				truncated(1, 1, 2)}, begins(2, 2, 1)),
		"an old leader's follower logs what a new leader has overruled": slices.Concat(five, begins(2, 2, 1, 5),
			[]event.Event{proposed(3, 1, 2), logged(3, 1, 2)}, writes(2, 1, 2, 1, 5), []event.Event{logged(4, 1, 2)}),
		"a server applies again what it has on its disk": slices.Concat(three,
			[]event.Event{stops(1, event.ServerCrashed), starts(1), delivered(1, 1, 1)}, begins(2, 3, 1, 2),
			writes(2, 1, 3, 2, 1)),
		"a server that was away applies the next": slices.Concat(three,
			[]event.Event{stops(3, event.ServerCrashed), starts(3)}, begins(2, 3, 1, 2), writes(2, 1, 3, 2, 1)),
		"an old leader's follower logs that, and the leader has not": slices.Concat(five, begins(2, 2, 1, 5),
			[]event.Event{proposed(3, 1, 2)}, writes(2, 1, 2, 1, 5), []event.Event{logged(4, 1, 2)}),
		"a follower logs what it was sent, and its leader is gone": slices.Concat(three,
			[]event.Event{proposed(3, 1, 2), stops(3, event.ServerCrashed), logged(2, 1, 2)}),
		"a tail is gone with the power": slices.Concat(three, []event.Event{proposed(3, 1, 2), logged(2, 1, 2),
			stops(2, event.ServerPowerLost), starts(2)}, begins(2, 1, 2)),
		"a snapshot arrives after its leader has lost its power": slices.Concat(three,
			[]event.Event{proposed(3, 1, 2), logged(3, 1, 2), logged(1, 1, 2), onDisk(1, 1, 2), logged(2, 1, 2),
				onDisk(2, 1, 2), delivered(3, 1, 2), sends(3, 1, event.Snap, 1, 2), stops(3, event.ServerPowerLost),
				loads(1, 3, 1, 2), saved(1, 1, 2)}, begins(2, 1, 2)),
		"what is committed elsewhere while a server is told to cut it off": slices.Concat(three, inDoubt(),
			[]event.Event{sends(3, 2, event.Trunc, 1, 1), delivered(3, 1, 2), truncated(2, 1, 1)}),
		"what is committed elsewhere while a server is sent a snapshot": slices.Concat(three, inDoubt(),
			[]event.Event{sends(3, 2, event.Snap, 1, 1), delivered(3, 1, 2), loads(2, 3, 1, 1), saved(2, 1, 1)}),
		"a snapshot of its own": slices.Concat(three, []event.Event{saved(1, 1, 1)}, writes(1, 2, 3, 1, 2)),
		"a follower applies before its own disk has it": slices.Concat(three, []event.Event{proposed(3, 1, 2),
			logged(3, 1, 2), onDisk(3, 1, 2), logged(2, 1, 2), onDisk(2, 1, 2), logged(1, 1, 2), delivered(1, 1, 2)}),
		"an answer of before the first epoch": append(slices.Clone(three), hears(1, 0, 5),
			event.Event{Kind: event.ConnOpened, Actor: 1, Peer: event.Server(4)}),
		"commits in the order of the proposals": append(slices.Clone(three), gets(2, 3, event.Proposal, 1, 2),
			gets(2, 3, event.Proposal, 1, 3), gets(2, 3, event.Commit, 1, 2), gets(2, 3, event.Commit, 1, 3)),
		"what an earlier leader still says": append(slices.Clone(three), gets(2, 1, event.Commit, 1, 9)),
	} {
		servers := 3
		if strings.HasPrefix(name, "an old leader") {
			servers = 5
		}
		if rules, says := judged(t, servers, log); rules != nil {
			t.Errorf("%s breaks %v: %v", name, rules, says)
		}
	}
}

// TestBrokenLogs checks the sentence for each break. The logs begin like those of TestInvariants.
func TestBrokenLogs(t *testing.T) {
	adopts := func(n int, epoch int32) event.Event { return ofEpoch(event.EpochAdopted, n, epoch) }
	promises := func(n int, epoch int32) event.Event { return ofEpoch(event.EpochPromised, n, epoch) }
	behind := []event.Event{proposed(3, 1, 2), logged(3, 1, 2), onDisk(3, 1, 2)}
	for _, c := range []struct {
		log   []event.Event
		rules string
		say   string
	}{
		{slices.Concat(writes(1, 2, 3, 1), []event.Event{delivered(2, 1, 3)}), "total-order",
			"server-2 applied 0x100000003 at 0.0 s, where others had applied 0x100000002"},
		{slices.Concat(writes(1, 2, 3, 1), []event.Event{other(delivered(2, 1, 2))}), "total-order",
			"server-2 applied 0x100000002 at 0.0 s, but others had applied another transaction with that zxid"},
		{slices.Concat(begins(2, 2, 1), []event.Event{ofEpoch(event.LeaderActivated, 3, 2)}), "leadership",
			"server-3 began to lead epoch 2 at 0.0 s, which server-2 had led"},
		{[]event.Event{promises(1, 1)}, "epoch-monotony leadership",
			"server-1 promised epoch 1 at 0.0 s, after it had promised epoch 1"},
		{[]event.Event{proposed(2, 1, 2)}, "leadership",
			"server-2 proposed 0x100000002 at 0.0 s, and did not lead epoch 1"},
		{slices.Concat(begins(2, 2, 1), []event.Event{adopts(2, 1)}), "epoch-monotony",
			"server-2 adopted epoch 1 at 0.0 s, after it had adopted epoch 2"},
		{[]event.Event{adopts(2, 4)}, "epoch-monotony",
			"server-2 adopted epoch 4 at 0.0 s, and had promised none after epoch 1"},
		{[]event.Event{enters(2, event.Electing, 0), logged(2, 2, 1)}, "epoch-monotony",
			"server-2 logged 0x200000001 at 0.0 s, and had promised none after epoch 1"},
		{slices.Concat(begins(2, 2, 1), []event.Event{votes(2, 2, 1, 1, 1)}), "epoch-monotony",
			"server-2 voted for itself with epoch 1 at 0.0 s, after it had adopted epoch 2"},
		{[]event.Event{promises(2, 2), enters(2, event.Electing, 0), logged(2, 2, 1), votes(2, 2, 1, 2, 1)},
			"epoch-monotony", "server-2 voted for itself with epoch 1 at 0.0 s, when its log ended with 0x200000001"},
		{[]event.Event{stops(2, event.ServerPowerLost), starts(2), votes(2, 2, 1, 0, 0)}, "committed-durable",
			"server-2 said at 0.0 s that its log ended with 0x0, but it had had 0x100000001 on its disk, which was " +
				"committed"},
		{[]event.Event{truncated(2, 1, 0)}, "committed-durable",
			"server-2 cut its log off behind 0x100000000 at 0.0 s, but had 0x100000001 on its disk, which was committed"},
		{slices.Concat(inDoubt(), []event.Event{delivered(3, 1, 2), sends(3, 2, event.Trunc, 1, 1), truncated(2, 1, 1)}),
			"committed-durable", "server-2 cut its log off behind 0x100000001 at 0.0 s, but had 0x100000002 on its disk, " +
				"which was committed"},
		{slices.Concat(inDoubt(), []event.Event{sends(3, 2, event.Trunc, 1, 1), sends(3, 1, event.Trunc, 1, 1),
			delivered(3, 1, 2), truncated(2, 1, 1), truncated(1, 1, 1)}), "committed-durable",
			"server-1 cut its log off behind 0x100000001 at 0.0 s, but had 0x100000002 on its disk, which was committed"},
		{slices.Concat(writes(1, 2, 3, 1, 2), []event.Event{loads(2, 3, 1, 1), saved(2, 1, 1)}), "committed-durable",
			"server-2 saved a snapshot up to 0x100000001 at 0.0 s, but had had 0x100000002 on its disk, which was " +
				"committed"},
		{[]event.Event{stops(2, event.ServerCrashed), starts(2), sends(2, 3, event.AckEpoch, 0, 0)},
			"committed-durable", "server-2 said at 0.0 s that its log ended with 0x0, but it had had 0x100000001 on its " +
				"disk, which was committed"},
		{slices.Concat(writes(1, 2, 3, 2), begins(2, 1, 2)), "leader-complete",
			"server-1 began to lead epoch 2 at 0.0 s, but its log lacked 0x100000002, which had been applied"},
		{slices.Concat(behind, []event.Event{logged(1, 1, 2), onDisk(1, 1, 2)}, begins(2, 2)[:4],
			begins(2, 2, 1)[4:9]), "process-consistency",
			"at 0.0 s server-1 had 0x100000002 in its log, which its leader, server-2, didn't have"},
		{slices.Concat(behind, []event.Event{logged(2, 1, 3)}), "process-consistency",
			"at 0.0 s server-2 had 0x100000003 in its log where its leader, server-3, had 0x100000002"},
		{slices.Concat(behind, []event.Event{other(logged(2, 1, 2))}), "process-consistency",
			"at 0.0 s server-2 had a different transaction as 0x100000002 in its log than its leader, server-3, had"},
		{append(slices.Clone(behind), promises(4, 1), logged(4, 1, 1), logged(4, 1, 2), onDisk(4, 1, 2), delivered(3, 1, 2)),
			"quorum-durable", "server-3 applied 0x100000002 at 0.0 s, which was on the disk of 1 voter, and a quorum is 2"},
		{[]event.Event{commits(3, 1, 1)}, "monotonic-commit",
			"server-3 committed 0x100000001 at 0.0 s, when 0x100000002 was next"},
		{append(slices.Clone(behind), logged(2, 1, 2), sends(2, 3, event.Ack, 1, 2)), "ack-order",
			"server-2 acknowledged 0x100000002 at 0.0 s, when its disk had nothing after 0x100000001"},
		{[]event.Event{enters(2, event.Electing, 0), sends(2, 3, event.Ack, 1, 1)}, "ack-order",
			"server-2 acknowledged 0x100000001 at 0.0 s, before it had acknowledged NEWLEADER"},
		{[]event.Event{promises(2, 2), sends(2, 1, event.Ack, 2, 0)}, "ack-order",
			"server-2 acknowledged NEWLEADER of epoch 2 at 0.0 s, when it had adopted epoch 1"},
		{append(slices.Clone(behind), logged(2, 1, 2), promises(2, 2), adopts(2, 2), sends(2, 1, event.Ack, 2, 0)),
			"ack-order", "server-2 acknowledged NEWLEADER of epoch 2 at 0.0 s, when its log ended with 0x100000002, and " +
				"on its disk with 0x100000001"},
		{slices.Concat(behind, begins(2, 2, 1), writes(2, 1, 2, 1), []event.Event{hears(1, 1, 2)}), "answered-kept",
			"client-1 was answered with 0x100000002 at 0.0 s, which was not committed"},
		{slices.Concat(writes(1, 2, 3, 1), []event.Event{hears(1, 1, 2), hears(1, 1, 1)}), "answered-kept",
			"client-1 was answered with 0x100000001 at 0.0 s, after it had been answered with 0x100000002"},
		{[]event.Event{hears(1, 1, 1), {Kind: event.ConnOpened, Actor: 1, Peer: event.Server(4)}}, "single-history",
			"client-1 had seen 0x100000001, and was welcomed at 0.0 s by server-4, which had applied nothing after 0x0"},
		{[]event.Event{{Kind: event.SessionClosed, Session: 7, Peer: 1},
			{Kind: event.TxnApplied, Session: 7, Peer: 1, Zxid: 1<<32 | 2}}, "one-verdict",
			"client-1 succeeded with 0x100000002 at 0.0 s, after its session had ended at 0.0 s"},
		{[]event.Event{gets(2, 3, event.Proposal, 1, 2), gets(2, 3, event.Proposal, 1, 3),
			gets(2, 3, event.Commit, 1, 3)}, "legal-messages",
			"server-2 was told to commit 0x100000003 at 0.0 s, when 0x100000002 was next"},
		{[]event.Event{gets(2, 3, event.Commit, 1, 2)}, "legal-messages",
			"server-2 was told to commit 0x100000002 at 0.0 s, which it had not been sent"},
		{[]event.Event{sends(3, 2, event.Proposal, 1, 2), sends(3, 2, event.Proposal, 2, 2)}, "legal-messages",
			"server-3 sent 0x200000002 to server-2 at 0.0 s, right after 0x100000002"},
		{[]event.Event{sends(2, 3, event.Ack, 1, 2)}, "legal-messages",
			"server-2 acknowledged 0x100000002 at 0.0 s, which was not in its log"},
		{[]event.Event{gets(2, 3, event.NewLeader, 1, 0)}, "legal-messages",
			"server-2 was sent NEWLEADER of epoch 1 at 0.0 s, when it was not synchronizing"},
	} {
		rules, says := judged(t, 3, slices.Concat(begins(1, 3, 1, 2), writes(1, 1, 3, 1, 2), c.log))
		if strings.Join(rules, " ") != c.rules || len(says) == 0 || says[0] != c.say {
			t.Errorf("breaks %v\n%s\nwant %s\n%s", rules, strings.Join(says, "\n"), c.rules, c.say)
		}
	}
}

// TestALifeOfThreeServers follows them through everything that may legally happen to them: they elect server 3, which
// finds an epoch and brings the others to it, and they write. The leader writes one more, alone, and crashes. The
// others go on in a new epoch; it comes back, and its lone tail is cut off. One loses power, and what was not on its
// disk. When it is back, it needs a snapshot. None of that breaks an invariant, and what was lost stays lost.
func TestALifeOfThreeServers(t *testing.T) {
	elect := func(leader int, current int32, epoch, counter int64, ids ...int) (log []event.Event) {
		for _, n := range ids {
			log = append(log, enters(n, event.Electing, 0), votes(n, n, current, epoch, counter))
		}
		for _, n := range ids {
			if n != leader {
				log = append(log, votes(n, leader, current, epoch, counter))
			}
		}
		return log
	}
	// join makes a server follow one that leads an epoch, which brings it up to date by what it sends.
	join := func(n, leader int, epoch int32, last, counter int64, sync ...event.Event) []event.Event {
		e := int64(epoch)
		adopts := ofEpoch(event.EpochAdopted, n, epoch)
		adopts.Peer = event.Server(leader)
		return slices.Concat([]event.Event{enters(n, event.Discovering, leader),
			sends(n, leader, event.FollowerInfo, e-1, 0), sends(leader, n, event.LeaderInfo, e, 0),
			ofEpoch(event.EpochPromised, n, epoch), sends(n, leader, event.AckEpoch, last, counter),
			enters(n, event.Synchronizing, leader)}, sync, []event.Event{gets(n, leader, event.NewLeader, e, 0), adopts,
			sends(n, leader, event.Ack, e, 0), gets(n, leader, event.UpToDate, 0, 0),
			sends(n, leader, event.Ack, e, 0), enters(n, event.Broadcasting, leader)})
	}
	leads := func(n int, epoch int32) (before, after []event.Event) {
		adopts := ofEpoch(event.EpochAdopted, n, epoch)
		adopts.Peer = event.Server(n)
		return []event.Event{enters(n, event.Discovering, n), ofEpoch(event.EpochPromised, n, epoch),
				enters(n, event.Synchronizing, n), adopts},
			[]event.Event{enters(n, event.Broadcasting, n), ofEpoch(event.LeaderActivated, n, epoch)}
	}
	first, firstActive := leads(3, 1)
	second, secondActive := leads(2, 2)
	log := slices.Concat(
		elect(3, 0, 0, 0, 1, 2, 3), first, join(1, 3, 1, 0, 0), join(2, 3, 1, 0, 0), firstActive,
		writes(1, 1, 3, 1, 2), []event.Event{hears(1, 1, 1)},
		// A lone tail.
		[]event.Event{proposed(3, 1, 2), sends(3, 1, event.Proposal, 1, 2), sends(3, 2, event.Proposal, 1, 2),
			logged(3, 1, 2), onDisk(3, 1, 2), stops(3, event.ServerCrashed)},
		elect(2, 1, 1, 1, 1, 2), second, join(1, 2, 2, 1, 1), secondActive,
		[]event.Event{{Kind: event.ConnOpened, Actor: 1, Peer: event.Server(1)}},
		[]event.Event{starts(3), enters(3, event.Electing, 0), votes(3, 3, 1, 1, 2), votes(3, 2, 2, 1, 1)},
		join(3, 2, 2, 1, 2, gets(3, 2, event.Trunc, 1, 1), truncated(3, 1, 1)),
		writes(2, 1, 2, 1, 3), []event.Event{hears(1, 2, 1)},
		// A tail that was never on the disk of server 1.
		[]event.Event{proposed(2, 2, 2), logged(2, 2, 2), onDisk(2, 2, 2), logged(1, 2, 2),
			stops(1, event.ServerPowerLost), logged(3, 2, 2), onDisk(3, 2, 2), sends(3, 2, event.Ack, 2, 2),
			commits(2, 2, 2), delivered(2, 2, 2), delivered(3, 2, 2)},
		writes(2, 3, 2, 3),
		// A snapshot.
		[]event.Event{starts(1), enters(1, event.Electing, 0), votes(1, 1, 2, 2, 1)},
		join(1, 2, 3, 2, 1)[:2], []event.Event{sends(2, 1, event.Snap, 2, 3), loads(1, 2, 2, 3), saved(1, 2, 3),
			enters(1, event.Synchronizing, 2), gets(1, 2, event.NewLeader, 2, 0), sends(1, 2, event.Ack, 2, 0),
			enters(1, event.Broadcasting, 2),
			{Kind: event.ServerSynced, Actor: event.Server(1), Code: 2, Zxid: 2<<32 | 3}},
		writes(2, 4, 2, 3, 1), []event.Event{hears(1, 2, 4), {Kind: event.ConnOpened, Actor: 1, Peer: event.Server(1)}},
	)
	if rules, says := judged(t, 3, log); rules != nil {
		t.Errorf("breaks %v:\n%s", rules, strings.Join(says, "\n"))
	}
	lost := append(slices.Clone(log), hears(2, 1, 2))
	if rules, _ := judged(t, 3, lost); !slices.Equal(rules, []string{promise.AnsweredKept}) {
		t.Errorf("an answer with the tail that was cut off breaks %v", rules)
	}
}
