package check_test

import (
	"fmt"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
)

func TestOnceClauses(t *testing.T) {
	const i, j = "/q/i-0000000001", "/q/i-0000000002"
	twice := []string{
		"2 consumed " + i + "; !3 consumed " + i, "2 done " + i + "; !3 done " + i,
		"2 consumed " + i + "; !2 done " + i,
		"2 consumed " + i + "; 2 deleted " + i + "; !3 consumed " + i,
		"2 deleted " + i + "; 2 consumed " + i + "; !3 consumed " + i,
		"2 consumed " + j + "; 2 deleted " + j + "; 2 consumed " + i + "; !3 consumed " + i,
	}
	taken := []string{
		"", "2 consumed " + i, "2 done " + i, "2 deleted " + i + "; 2 consumed " + i,
		"2 consumed " + i + "; 2 deleted " + i,
		"2 consumed " + i + "; 2 deleted " + i + "; 2 consumed " + j,
		"2 consumed " + i + "; 2 consumed /p/i-0000000001",
		"2 began " + i + "; 2 deleted " + i, "2 began " + i + "; 3 began " + i + "; 3 deleted " + i, "2 began " + i,
		"2 holding " + i + "; 3 holding " + i, "2 produced " + i, "0 deleted " + i, "2 consumed /q/i; 2 deleted /q/i",
	}
	lost := []string{
		"!2 deleted " + i, "2 began " + i + "; !3 deleted " + i,
		"2 began " + i + "; 3 began " + i + "; !2 deleted " + i,
		"!2 deleted " + i + "; 2 began " + i, "!2 deleted " + j, "!2 swept " + i, "!0 swept-away " + i,
		"!11 deleted " + i,
		"!2 deleted " + i + "; 2 consumed " + j, "2 began " + j + "; !2 deleted " + i,
		"2 waiting " + i + "; !2 deleted " + i,
	}
	judgeClauses(t, promise.Once, onSim, []clause{
		{"1 produced " + i + "\n...\n0 ends all-done", all(twice, lost), taken},
		{"1 produced " + i + "\n...", twice, all(taken, []string{"2 deleted " + i, "0 swept-away " + i})},
		{"1 produced " + i + "\n!2 deleted " + i + "\n...", // the remover may still take it
			[]string{"2 exited", "2 crashed", "0 ends cancelled"},
			[]string{"", "3 crashed", "2 expired", "2 closed", "2 lost", "2 consumed " + i + "; 2 crashed",
				"3 consumed " + i + "; 2 crashed"}},
		{"...\n!2 deleted " + i + "\n0 ends", []string{"1 produced " + i, "1 produced " + j},
			[]string{"", "1 consumed " + i, "1 produced /p/i-0000000001", "1 produced /q/k-0000000001"}},
	})
	judgeClauses(t, promise.Once, onSim, []clause{ // an item may have no number, and its content says nothing
		{"1 produced /q/i\n...\n0 ends", []string{"!2 deleted /q/i", "2 consumed /q/i; !3 consumed /q/i"},
			[]string{"", "2 deleted /q/i; 2 consumed /q/i", "2 consumed /q/i; 2 deleted /q/i", "2 began /q/i; 2 deleted /q/i"}},
		{"1 produced " + i + "\n...\n0 ends", nil,
			[]string{"2 says " + i + "=consumed; 3 says " + i + "=consumed", "2 says " + i + "=done; 3 says " + i + "=done"}},
		{"2 says " + i + "=produced\n2 deleted " + i + "\n...\n0 ends", nil, []string{""}},
	})
	judgeClauses(t, promise.AtMostOnce, onSim, []clause{
		{"1 produced " + i + "\n...\n0 ends all-done", twice, all(lost, taken)},
		{"1 produced " + i + "\n...", twice, all(lost, taken)},
	})
}

// TestManyStrangeZnodes: a deleted znode may turn out to have been an item, but only so many are remembered.
func TestManyStrangeZnodes(t *testing.T) {
	for _, first := range []bool{false, true} {
		var l log
		produced := func() {
			l.add(event.Event{Kind: event.RecipePhase, Actor: 1, Text: "produced", Path: "/q/i-0000000000"})
		}
		if first {
			produced()
		}
		for i := range 300 {
			l.add(event.Event{Kind: event.ZnodeDeleted, Peer: 2, Path: fmt.Sprintf("/q/i-%010d", i),
				Reason: event.ByOp})
		}
		produced()
		l.add(event.Event{Kind: event.RunEnded, Reason: event.EndAllDone})
		want := 256
		if first {
			want = 300
		}
		v := judgeClause(promise.Once, onSim, l.events)
		if len(v) != want {
			t.Errorf("of 300 items, produced first: %v, %d are lost, want %d", first, len(v), want)
		}
		for i := 1; i < len(v); i++ {
			if v[i].Seq != v[i-1].Seq+1 {
				t.Fatalf("after the item lost by event %d comes that lost by event %d", v[i-1].Seq, v[i].Seq)
			}
		}
	}
}

// TestServedInOrderClauses: client-3 takes the second item, i, although the first, o, is free.
func TestServedInOrderClauses(t *testing.T) {
	for _, c := range []struct{ rule, o, i string }{
		{promise.ServedInOrder, "i-0000000001", "i-0000000002"},
		{promise.ServedInOrder, "z-0000000001", "a-0000000002"},
		{promise.UrgentFirst, "i-1-0000000002", "i-2-0000000001"},
		{promise.EarliestFirst, "i-000000002000-0000000002", "i-000000002500-0000000001"},
		{promise.EarliestFirst, "i-000000002000-0000000001", "i-000000002000-0000000002"},
		{promise.EarliestFirst, "i-9-0000000002", "i-10-0000000001"},
	} {
		o, i := c.o, "/q/"+c.i
		judgeClauses(t, c.rule, onSim, []clause{
			{"1 created /q/" + o + "\n1 created " + i + "\n3 lists /q\n...\n3 deleted " + i,
				[]string{
					"", "4 lists /q", "3 lists /q", "4 began /q/x", "4 waiting /q/" + o,
					"4 owns /m/" + o + "; 4 swept /m/" + o + "; 3 lists /q",
					"4 owns /m/" + o + "; 4 deleted /m/" + o + "; 3 lists /q", "3 expired", "4 deleted /q/x",
					"3 hears-children /q -101", "4 loses /q",
					"4 began /m/" + c.i + "; 3 began " + i + "; 4 began " + i,
				},
				[]string{
					"4 deleted /q/" + o, "0 deleted /q/" + o, "4 swept /q/" + o, "4 owns /m/" + o,
					"4 began /q/" + o, "3 began " + i,
					"4 owns /m/" + o + "; 4 swept /m/" + o, "4 owns /m/" + o + "; 3 lists /q",
					"4 owns /m/" + o + "; 5 swept /m/" + o + "; 3 lists /q",
					"4 began /q/" + o + "; 3 lists /q", "4 deleted " + i,
				}},
			{"1 created /q/" + o + "\n1 created " + i + "\n...\n3 deleted " + i,
				[]string{"3 lists /q", "3 lists /q; 3 hears-children /q -101", "3 lists /q; 3 lists /p"},
				[]string{"", "4 lists /q", "3 lists /p", "3 hears-get /q", "3 hears-children /q -101",
					"1 deleted /q/" + o + "; 3 lists /q"}},
			{"1 created /q/" + o + "\n1 created " + i + "\n3 lists /q\n...",
				[]string{"3 deleted " + i, "3 owns /m/" + c.i},
				[]string{"", "0 deleted " + i, "3 swept " + i, "3 swept-away " + i, "5 deleted " + i,
					"3 deleted /q/" + o, "3 owns /m/" + o, "3 owns /q/x"}},
			{"...\n1 created " + i + "\n3 lists /q\n3 deleted " + i,
				[]string{"1 created /q/" + o},
				[]string{"", "0 created /q/" + o, "1 owns /q/" + o, "1 created /p/" + o,
					"1 created /q/" + o[:len(o)-1] + "x"}},
			{"...\n3 deleted " + i,
				[]string{"1 created /q/" + o + "; 1 created " + i + "; 3 lists /q"},
				[]string{"1 created " + i + "; 3 lists /q; 1 created /q/" + o}},
			{"1 created /q/" + o + "\n1 created " + i + "\n3 lists /q\n3 owns /m/" + o + "\n3 owns /m/" + c.i + "\n3 swept /m/" +
				c.i + "\n4 lists /q\n...",
				[]string{"3 swept /m/" + o + "; 4 lists /q; 4 owns /m/" + c.i}, []string{"4 owns /m/" + c.i}},
		})
	}
}

// TestServedInOrderClausesLive: an item counts as passed over once it is taken later, and nobody was wrong about it.
func TestServedInOrderClausesLive(t *testing.T) {
	const o, i = "/q/i-0000000001", "/q/i-0000000002"
	const queue = "1 applies\n1 creates " + o + "\n1 applies\n1 creates " + i + "\n3 lists /q\n"
	judgeClauses(t, promise.ServedInOrder, onLive, []clause{
		{queue + "3 applies\n!3 deletes " + i + "\n...",
			[]string{
				"4 applies; 4 deletes " + o, "4 applies; 4 marks /m/i-0000000001", "0 deleted " + o, "4 swept " + o,
				"4 hears-get /q -101; 4 applies; 4 deletes " + o,
				"4 began " + i + "; 4 applies; 4 deletes " + o, "0 created /x; 4 applies; 4 deletes " + o,
				"1 applies; 1 creates /q/i-0000000003; 4 applies; 4 deletes /q/i-0000000003; 4 applies; 4 deletes " + o,
			},
			[]string{
				"", "4 deleted " + o, "4 owns /m/i-0000000001", "4 loses /q; 4 applies; 4 deletes " + o,
				"4 applies; 4 deletes " + o + " 1", "4 waiting",
				"4 began " + o + "; 4 applies; 4 deletes " + o, "1 created /x; 4 applies; 4 deletes " + o,
				"4 deleted /x; 4 applies; 4 deletes " + o,
				"4 applies; 4 deletes " + o + " 7", // at the same zxid
			}},
		{queue + "3 applies\n!3 marks /m/i-0000000002\n...", []string{"4 applies; 4 deletes " + o}, []string{""}},
		{queue + "...\n3 applies\n!3 deletes " + i + "\n4 applies\n4 deletes " + o, []string{"", "4 swept /x",
			"0 deleted /x"},
			[]string{"4 loses /q", "4 deleted /x", "4 created /x", "4 began " + o}},
	})
}

func TestNotBeforeDueClauses(t *testing.T) {
	judgeClauses(t, promise.NotBeforeDue, onSim, []clause{
		{"@2s\n...",
			[]string{
				"3 began /q/i-000000002500-0000000001", "3 consumed /q/i-000000002500-0000000001",
				"3 began /q/i-2001-0000000001",
				"3 began /q/i-2500-0000000000", "3 began /q/i-3153600000000-0000000001",
			},
			[]string{
				"", "3 done /q/i-000000002500-0000000001", "3 produced /q/i-000000002500-0000000001",
				"3 waiting /q/i-000000002500-0000000001",
				"3 created /q/i-000000002500-0000000001", "3 began /q/i-2000-0000000001",
				"3 began /q/i-0-0000000001", "3 began /q/i-2500",
				"3 began /q/i-2500-x", "3 began /q/2001-0000000001", "3 began /q/i-25000000000001",
				"3 began /q/i-x-0000000001", "3 began /q/i-3153600000001-0000000001",
				"3 began /q/i-25000000000000000000-0000000001",
			}},
		{"...\n3 began /q/i-2500-0000000001", []string{"", "@2.499s"}, []string{"@2.5s", "@3s"}},
	})
}

func TestAllDoneClauses(t *testing.T) {
	const end = "\n0 ends all-done"
	judgeClauses(t, promise.AllDone, onSim, []clause{
		{"1 created /q/i\n2 has-read /q\n2 waiting\n...\n2 exited" + end,
			[]string{"", "2 paused", "2 produced /q/j", "3 has-read /q", "2 deleted /q/x", "2 done /q/i",
				"3 crashed", "1 created /q/j; 2 deleted /q/j", "2 exited boom"},
			[]string{"2 deleted /q/i", "3 deleted /q/i", "0 deleted /q/i", "3 swept /q/i",
				"1 created /q/j; 2 deleted /q/j; 2 deleted /q/i"}},
		{"...\n2 has-read /q\n2 waiting\n2 exited" + end, []string{"1 created /q/i", "2 created /q/i"}, []string{"",
			"0 created /q/i", "1 owns /q/i"}},
		{"1 created /q/i\n...\n2 exited" + end,
			[]string{
				"2 has-read /q; 2 waiting", "2 hears-children /q; 2 began /q/x", "2 hears-set /q; 2 consumed /q/x",
				"2 has-read /q; 2 done /q/x",
				"2 has-read /q; 2 produced /q/x; 2 waiting", "2 waiting; 2 has-read /q; 2 produced /q/x",
			},
			[]string{"", "2 has-read /q", "2 waiting", "2 has-read /q; 2 produced /q/x", "2 waiting; 2 has-read /q",
				"3 has-read /q; 3 waiting"}},
		{"2 has-read /q\n1 created /q/i\n...\n2 exited" + end, []string{"2 has-read /q; 2 waiting"},
			[]string{"2 waiting"}},
		{"1 created /q/i\n2 has-read /q\n2 waiting\n..." + end, []string{"2 exited"}, []string{"", "2 crashed",
			"2 exited session expired", "2 expired", "3 exited"}},
		{"1 created /q/i\n2 has-read /q\n2 waiting\n2 exited\n...", []string{"0 ends all-done"},
			[]string{"", "0 ends cancelled", "0 ends time-limit",
				"0 ends stuck"}},
	})
	// Anyone that has put something there knows of it.
	var l log
	l.add(event.Event{Kind: event.ZnodeCreated, Peer: 2, Path: "/q/i", Zxid: 7})
	l.add(event.Event{Kind: event.OpDone, Actor: 2, Op: event.Create, Path: "/q/i", Zxid: 7})
	l.add(event.Event{Kind: event.RecipePhase, Actor: 2, Text: "began", Path: "/q/h"})
	l.add(event.Event{Kind: event.ClientExited, Actor: 2})
	l.add(event.Event{Kind: event.RunEnded, Reason: event.EndAllDone})
	if v := judgeClause(promise.AllDone, onSim, l.events); len(v) != 1 {
		t.Errorf("anyone who puts something there and goes home: %+v", v)
	}
	for name, c := range map[string]struct{ script, want string }{
		"the last item that somebody knew of": {
			"1 created /q/i\n2 has-read /q\n2 waiting\n@1s\n1 created /q/j\n3 has-read /q\n3 waiting\n@2s\n3 exited\n@3s\n2 " +
				"exited\n@4s" + end,
			"all-done 4s [2 3]: everybody is done, but i and j aren't: i had been there since 0.0 s, and client-2 still " +
				"went home at 3.0 s"},
		"what nobody knew of": {
			"1 created /q/i\n3 has-read /q\n2 has-read /q\n2 waiting\n@1s\n1 created /q/j\n@2s\n3 waiting\n3 exited\n@3s\n2 " +
				"exited\n@4s" + end,
			"all-done 4s [2 3]: everybody is done, but i isn't: i had been there since 0.0 s, and client-2 still went " +
				"home at 3.0 s"},
		"who knew of none": {
			"2 has-read /q\n2 waiting\n1 created /q/j\n1 created /q/i\n3 has-read /q\n3 waiting\n2 exited\n3 exited\n1 exited" +
				end,
			"all-done 0s [3]: everybody is done, but j and i aren't: j had been there since 0.0 s, and client-3 still " +
				"went home at 0.0 s"},
	} {
		compare(t, name, judgeBy(t, promise.AllDone, "sim", c.script), c.want)
	}
}

func TestOneWorkerClauses(t *testing.T) {
	stays := []string{
		"", "1 done /t/b", "1 released /t/b", "1 lost /t/b", "1 gave-up /t/b", "1 began /t/b", "1 began /t/a",
		"1 waiting", "1 consumed /t/a",
		"1 deleted /t/a", "1 paused", "3 done /t/a", "3 exited", "3 crashed", "3 expired", "3 closed", "1 session",
		"1 began /t/b; 1 done /t/b",
		"3 began /t/a; 3 done /t/a", "1 produced /t/a",
	}
	stops := []string{
		"1 done /t/a", "1 released /t/a", "1 lost /t/a", "1 gave-up /t/a", "1 done", "1 released", "1 lost",
		"1 gave-up", "1 exited",
		"1 exited session expired", "1 crashed", "1 expired", "1 closed", "1 expired; 1 session",
		"1 began /t/b; 1 done", "1 began /t/b; 1 crashed",
		"1 began /t/a; 1 done /t/a",
	}
	judgeClauses(t, promise.OneWorker, onSim, []clause{
		{"1 began /t/a\n...\n2 began /t/a", all(stays, newcomerIsIn), all(stops, newcomerIsOut)},
		{"...\n2 began /t/a", []string{"1 began /t/a"}, []string{"", "1 holding /t/a", "2 began /t/a",
			"1 expired; 1 began /t/a", "0 began /t/a"}},
		{"1 began /t/a\n...", []string{"2 began /t/a"}, []string{"", "2 consumed /t/a", "2 holding /t/a",
			"2 done /t/a", "0 began /t/a"}},
		{"1 began /t/a\n2 began /t/b\n...", []string{"2 began /t/a", "1 began /t/b",
			"1 began /t/b; 1 done /t/a; !3 began /t/b"}, []string{"1 done /t/a; 2 began /t/a"}},
	})
	judgeClauses(t, promise.OneWorker, onLive, []clause{
		{"1 began /t/a\n@1s\n!2 began /t/a\n@2s\n...", []string{"1 closed; 2 closed"}, []string{"", "1 closed",
			"2 closed", "1 expired; 2 closed", "1 closed; 2 expired"}},
	})
}
