package check_test

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/promise"
)

func TestUniqueClauses(t *testing.T) {
	holds := []string{
		"", "1 released /n/q", "2 released /n/p", "1 paused", "2 expired", "1 named /n/q", "1 named /n/p", "1 lost",
		"1 gave-up /n/p",
		"1 expired; 1 session", "1 deleted /n/p", "0 released /n/p",
	}
	judgeClauses(t, promise.Unique, onSim, []clause{
		{"1 named /n/p\n...\n2 named /n/p", holds, []string{"1 released /n/p", "1 expired", "1 closed", "1 exited",
			"1 crashed", "1 expired; 3 named /n/p; 3 released /n/p"}},
		{"...\n2 named /n/p", []string{"1 named /n/p"}, []string{"", "2 named /n/p", "1 named /n/q",
			"1 holding /n/p", "1 counted /n/p", "1 named /n/p 3"}},
		{"1 named /n/p\n2 named /n/p\n...", []string{"1 named /n/p", "!3 named /n/p",
			"!1 named /n/p; 1 released /n/p"}, nil},
		// A number is given out once, as an id or for a counter.
		{"1 named /n/a 7\n...", []string{"2 named /n/b 7", "1 named /n/a 7", "1 released /n/a; 2 named /n/b 7",
			"1 expired; 2 named /m/b 7"},
			[]string{"", "2 named /n/a 8", "2 named /n/a 6", "2 counted /n/a 7", "2 saw /n/a 7", "2 named /n/a"}},
		{"1 counted /n 7\n...", []string{"2 counted /n 7", "1 counted /n 7", "1 released /n; 2 counted /n 7",
			"1 expired; 2 counted /n 7"},
			[]string{"", "2 counted /n 8", "2 counted /n 6", "2 counted /m 7", "2 named /n 7", "2 published /n 7",
				"2 counted /n"}},
		{"...\n2 counted /n 5", []string{"1 counted /n 5", "1 counted /n 4; 1 counted /n 6; 1 counted /n 5",
			"1 counted /n 5; 1 counted /n 4; 1 counted /n 6"},
			[]string{"1 counted /n 4; 1 counted /n 6", "1 counted /n 6; 1 counted /n 7; 1 counted /n 4"}},
	})
	judgeClauses(t, promise.Unique, onLive, []clause{
		{"1 named /n/p\n@1s\n!2 named /n/p\n@2s\n...", []string{"1 closed; 2 closed"}, []string{"", "1 closed",
			"2 closed", "1 expired; 2 closed", "1 closed; 2 expired"}},
	})
}

func TestAgreedClauses(t *testing.T) {
	judgeClauses(t, promise.Agreed, onSim, []clause{
		{"1 committed /t/1\n...", []string{"2 aborted /t/1", "1 aborted /t/1", "2 committed /t/1; 3 aborted /t/1",
			"!2 aborted /t/1; 3 committed /t/1"},
			[]string{"", "2 committed /t/1", "2 aborted /t/2", "2 waiting /t/1", "2 gave-up /t/1", "2 deleted /t/1",
				"2 stores aborted"}},
		{"1 aborted /t/1\n...", []string{"2 committed /t/1"}, []string{"", "2 aborted /t/1", "2 committed /t/2",
			"2 done /t/1"}},
		{"...\n2 aborted /t/1", []string{"1 committed /t/1"}, []string{"", "1 committed /t/2", "1 waiting /t/1",
			"1 published /t/1"}},
	})
}

func TestCurrentClauses(t *testing.T) {
	const change = "1 writes /c\n1 published /c 1\n"
	judgeClauses(t, promise.Current, onSim, []clause{
		// A follower has seen the last change when it goes home,
		{change + "2 peeks /c\n2 saw /c 1\n...\n2 exited\n" + allDone, nil, []string{"", "0 writes /c",
			"1 writes /d", "1 removes /d", "1 created /d/x", "1 stores /c"}},
		{change + "2 peeks /c\n2 saw /c 1\n@2s\n...\n" + allDone, []string{"2 exited; !1 writes /c",
			"1 writes /c; !2 exited", "2 exited; !1 created /c/x"}, []string{
			"1 writes /c; 2 crashed", "1 writes /c; 2 exited session expired", "1 writes /c",
			"1 writes /c; 2 gave-up; 2 exited",
			"1 writes /c; 2 peeks /c; 2 saw /c 2; 2 exited", "1 writes /c; 2 looks /c; 2 saw /c 2; 2 exited",
		}},
		{"2 peeks /c\n2 saw /c 0\n1 writes /c\n...\n!2 exited\n" + allDone,
			[]string{"", "2 peeks /c", "2 unanswered /c; 2 saw /c 1", "3 peeks /c; 2 saw /c 1",
				"2 hears-exists /c; 2 saw /c 1", "2 gave-up; 2 waiting", "2 saw /c 1"},
			[]string{"2 peeks /c; 2 saw /c 1", "2 looks /c; 2 saw /c 1", "2 gave-up", "2 peeks /d; 2 saw /c 1"}},
		// and so has anyone that waits for ever.
		{change + "2 peeks /c\n2 saw /c 1\n1 writes /c\n...", []string{stuck, timeIsUp, inCircles,
			"2 paused; 2 resumed; " + stuck},
			[]string{"", allDone, tooLong, cancelled, "2 crashed; " + stuck, "2 expired; " + stuck,
				"2 closed; " + stuck, "2 paused; " + stuck, "2 exited session expired; " + stuck}},
		// A group's members change what it looks like.
		{"1 created /g/a\n2 looks /g\n2 saw /g 1\n2 exited\n...\n" + allDone, []string{"!1 created /g/b",
			"!1 removes /g/a", "!3 removes /g/a"},
			[]string{"", "1 writes /g/a", "1 created /h/b", "1 created /g/a/b", "0 removes /g/a", "0 created /g/b",
				"0 writes /g"}},
		{"2 peeks /g\n2 saw /g 0\n2 exited\n...\n" + allDone, []string{"!1 writes /g"}, []string{"",
			"1 writes /g/a"}},
		// A znode that is gone has no latest.
		{"1 created /c/x\n2 peeks /c/x\n2 saw /c/x\n...\n!2 exited\n" + allDone, []string{"1 writes /c/x"},
			[]string{"", "1 writes /c/x; 1 removes /c/x"}},
		// Nobody goes home that has neither written, seen nor given up anything.
		{"...\n!1 exited\n" + allDone, []string{"", "1 waiting", "1 removes /c", "2 writes /c", "0 created /c",
			"1 peeks /c"},
			[]string{"1 writes /c", "1 created /c/a", "1 peeks /c; 1 saw /c 0", "1 saw /c 0", "1 gave-up",
				"1 gave-up /c"}},
		{"...\n" + allDone, nil, []string{"", "1 crashed", "1 exited session expired", "1 waiting"}},
		// Nothing is published that was not written.
		{"...\n1 published /c 1", []string{"", "2 writes /c", "1 writes /d", "1 writes /c; 1 published /c",
			"1 removes /c", "0 writes /c", "1 writes /c/a/b", "1 writes /c; 1 writes /d"},
			[]string{"1 writes /c", "1 created /c", "1 created /c/a", "1 writes /c/a", "1 writes /d; 1 writes /c"}},
	})
	judgeClauses(t, promise.Current, onLive, []clause{
		{"...\n1 published /c 1", []string{"", "2 unanswered /c", "1 hears-set /c -101", "1 looks /c"},
			[]string{"1 unanswered /c", "1 hears-set /c -4; 1 looks /c"}},
		{"...\n!1 exited\n" + allDone, []string{"", "2 unanswered /c"}, []string{"1 unanswered /c"}},
	})
	for _, end := range []string{stuck, timeIsUp, inCircles, allDone} {
		judgeClauses(t, promise.Current, onSim, []clause{{"1 writes /c\n!1 published /d\n1 exited\n" + "...\n" + end,
			[]string{""}, nil}})
	}
	events, _ := scriptOfClause(t, "2 looks /c\n2 saw /c\n2 exited\n@1s\n1 writes /c\n"+allDone)
	if v := judgeClause(promise.Current, onSim, events); len(v) != 1 || v[0].Seq != 4 || v[0].At != events[3].At {
		t.Errorf("what comes later proves it: %+v", v)
	}
}

func TestEveryMessageClauses(t *testing.T) {
	const zero, one, two = "/t/m-0000000000", "/t/m-0000000001", "/t/m-0000000002"
	const three = "1 appends " + zero + "\n1 appends " + one + "\n1 appends " + two + "\n"
	judgeClauses(t, promise.EveryMessage, onSim, []clause{
		{three + "...\n2 saw /t 3", []string{"", "2 saw /t 1", "3 saw /t 1; 3 saw /t 2", "2 saw /u 2",
			"2 published /t 1", "!2 saw /t 2", "2 saw /t 1; 2 saw /t 2; 2 saw /t 3"},
			[]string{"2 saw /t 1; 2 saw /t 2", "2 saw /t 1; 2 saw /t 2; 3 saw /t 1; 2 saw /u 9"}},
		{three + "2 saw /t 1\n...", []string{"2 saw /t 1", "2 saw /t 3", "2 saw /t 2; 2 saw /t 1"}, []string{"",
			"3 saw /t 1", "2 saw /u 1", "2 counted /t 1", "2 saw /t 2"}},
		{"2 saw /t 3\n...", []string{"!2 saw /t 2; 2 saw /t 1", "1 appends " + one,
			"1 appends " + zero + "; !1 appends " + one, "1 appends " + one + "; !1 appends " + one},
			[]string{"", "1 appends " + two, "1 created " + one, "1 owns " + one, "1 appends /u/m-0000000001",
				"1 appends /t/m", "2 saw /t 4", "3 saw /t 1"}},
		{"2 saw /t 2\n3 saw /t 1\n...", []string{"1 appends " + zero}, []string{"1 appends " + one,
			"1 appends " + two}},
		{three + "2 saw /t 1\n...\n" + allDone, []string{"2 saw /t 2; !2 exited", "!2 exited"}, []string{
			"", "2 saw /t 2; 2 saw /t 3; 2 exited", "2 crashed", "2 exited boom", "2 expired",
			"2 gave-up; 2 exited", "2 gave-up /t; 2 exited", "3 exited",
		}},
		{three + "2 saw /t 1\n!2 exited\n...", []string{allDone, stuck, timeIsUp, inCircles}, []string{"", tooLong,
			cancelled, "0 ends"}},
		{"1 appends " + zero + "\n2 saw /t 1\n...\n!2 exited\n" + allDone, []string{"1 appends " + one,
			"1 deleted " + zero + "; 1 appends " + one},
			[]string{"", "1 created " + one, "1 appends /u/m-0000000001", "1 owns " + one}},
		// A message is added once.
		{"1 appends " + zero + "\n...\n1 published /t 1", []string{"1 appends " + one,
			"1 appends " + one + "; 1 appends " + two, "1 appends " + one + "; 2 appends " + two},
			[]string{"", "2 appends " + one, "1 published /t 1; 1 appends " + one, "1 created " + one,
				"1 appends /u/m-0000000000; 1 appends " + one, "1 appends " + one + "; 1 appends /u/m-0000000000"}},
		{"1 appends " + zero + "\n1 appends " + one + "\n...", []string{"1 published /t 1"}, []string{"",
			"2 published /t 1", "1 published /u 1", "1 saw /t 1", "1 counted /t"}},
	})
}

func TestVotesKeptClauses(t *testing.T) {
	const both = "2 says /t/vote-2=commit\n3 says /t/vote-3=commit\n"
	judgeClauses(t, promise.VotesKept, onSim, []clause{
		{"2 says /t/vote-2=commit\n...\n1 looks /t\n!1 says /t/decision=commit\n" + allDone,
			[]string{"", "3 says /t/vote-3=abort", "3 says /u/vote-3=commit", "3 says /t/vote-3=maybe",
				"0 says /t/vote-3=commit", "3 crashed", "3 loses /t", "3 writes /t/vote-3=commit"},
			[]string{"3 says /t/vote-3=commit", "3 says /t/vote-3=abort; 3 says /t/vote-3=commit",
				"3 says /t/vote-3=commit; 0 says /t/vote-0=abort"}},
		{both + "...\n" + allDone, []string{"!2 committed /t", "1 says /t/decision=abort; !2 committed /t",
			"!1 committed /t; 2 committed /t", "1 looks /t; !1 says /t/decision=abort"},
			[]string{"", "1 says /t/decision=commit; 2 committed /t", "2 aborted /t", "1 says /u/decision=abort",
				"1 looks /t; 2 says /t/decision=abort", "1 says /t/decision=abort",
				"1 looks /u; 1 says /t/decision=abort", "1 peeks /t; 1 says /t/decision=abort",
				"2 looks /t; 1 says /t/decision=abort", "1 unanswered /t; 1 says /t/decision=abort"}},
		{"2 says /t/vote-2=commit\n...\n1 looks /t\n!1 says /t/decision=abort\n" + allDone,
			[]string{"3 says /t/vote-3=commit"},
			[]string{"", "3 says /t/vote-3=abort", "3 says /u/vote-3=commit",
				"3 says /t/vote-3=commit; 1 says /t/vote-1=abort"}},
		{"2 says /t/vote-2=commit\n1 says /t/decision=commit\n@1s\n...\n" + allDone,
			[]string{"!3 says /t/vote-3=commit", "!3 says /t/vote-3=abort"}, nil},
		{both + "1 says /t/decision=commit\n@1s\n...\n" + allDone, []string{"!2 says /t/vote-2=abort",
			"!2 says /t/vote-2=commit", "!4 says /t/vote-4=abort"}, []string{"", "1 says /t/vote-1=commit"}},
		{"1 says /t/decision=commit\n...", nil, []string{"", tooLong, cancelled}},
		{"!1 says /t/decision=commit\n...", []string{allDone, stuck, timeIsUp, inCircles}, nil},
		{both + "1 says /t/decision=abort\n2 aborted /t\n...\n" + allDone, []string{"!3 committed /t",
			"!1 committed /t"}, []string{"", "3 aborted /t", "3 published /t"}},
	})
	judgeClauses(t, promise.VotesKept, host{"sim", 0}, []clause{ // the other voters aren't known
		{"2 says /t/vote-2=commit\n...\n!1 says /t/decision=commit\n" + allDone, []string{"3 says /t/vote-3=abort"},
			[]string{"", "3 crashed"}},
		{"2 says /t/vote-2=commit\n1 looks /t\n...\n" + allDone, nil, []string{"1 says /t/decision=abort"}},
	})
	judgeClauses(t, promise.VotesKept, onLive, []clause{
		{"2 says /t/vote-2=commit\n...\n!1 says /t/decision=commit\n" + allDone, []string{"", "2 unanswered /t",
			"3 hears-get /t -101"}, []string{"3 unanswered /t", "3 hears-create /t -4; 3 hears-get /t"}},
		{both + "...\n!2 committed /t\n" + allDone, []string{"1 says /t/decision=abort"}, []string{""}},
	})
	for name, c := range map[string]struct{ script, want string }{
		"the decider itself, after all": {both + "@1s\n2 says /t/decision=abort\n@2s\n2 committed /t\n" + allDone,
			"votes-kept 2s [2]: client-2 carried t out at 2.0 s, but had decided against it at 1.0 s"},
		"the first of those who did not vote": {"1 says /t/decision=commit\n" + allDone,
			"votes-kept 0s [1 2]: client-1 decided to carry t out at 0.0 s, but client-2 never voted"},
		"the first of several": {"3 says /t/vote-3=abort\n2 says /t/vote-2=abort\n1 says /t/decision=commit\n" + allDone,
			"votes-kept 0s [1 2]: client-1 decided to carry t out at 0.0 s, but client-2 voted against it at 0.0 s"},
		"who did not vote comes before": {"3 says /t/vote-3=abort\n1 says /t/decision=commit\n" + allDone,
			"votes-kept 0s [1 2]: client-1 decided to carry t out at 0.0 s, but client-2 never voted"},
		"who voted against it comes before": {"2 says /t/vote-2=abort\n1 says /t/decision=commit\n" + allDone,
			"votes-kept 0s [1 2]: client-1 decided to carry t out at 0.0 s, but client-2 voted against it at 0.0 s"},
		"in the order of the transactions": {"1 says /u/decision=commit\n1 says /t/decision=commit\n" + allDone,
			"votes-kept\nvotes-kept"},
	} {
		compare(t, name, judgeBy(t, promise.VotesKept, "sim", c.script), c.want)
	}
}

func TestAnnouncedClauses(t *testing.T) {
	silent := []string{
		"", "2 writes /sign=client-2", "1 writes /sign=client-12", "1 writes /sign=hello", "1 writes /sign",
		"1 created /l/client-1",
		"2 writes /sign=client-1", "1 writes /sign=db", "1 is db; 2 writes /sign=db", "2 is db; 1 writes /sign=db",
		"1 stores client-1",
		"1 is; 1 writes /sign",
	}
	unsaid := []string{
		"1 says /sign=client-1; 1 deleted /sign", "1 says /sign=client-1; 2 writes /sign=client-2",
		"1 says /sign=client-1; 2 deleted /sign",
		"1 says /sign=client-1; 1 writes /sign=nobody",
		"1 says /sign=client-1; 1 writes /sign=client-1; 0 deleted /sign",
		"1 says /sign=client-1; 1 swept /sign",
		"1 says /a=client-1; 1 says /b=client-1; 1 deleted /b; 1 deleted /a; 1 deleted /a",
	}
	said := []string{
		"1 says /sign=client-1", "1 writes /sign=client-1", "1 is db; 1 writes /sign=db",
		"1 is db; 1 says /sign=client-1",
		"1 says /sign=client-1; 1 deleted /x", "1 says /sign=client-1; 2 writes /x=client-2",
		"1 says /a=client-1; 1 says /b=client-1; 1 deleted /b",
		"1 says /sign=client-1; 1 writes /sign=client-1",
		"1 says /a=client-1; 1 says /b=client-1; 1 deleted /b; 1 deleted /b",
	}
	gone := []string{"1 expired", "1 closed"}
	judgeClauses(t, promise.Announced, onSim, []clause{
		{"1 created /q/a\n...\n1 leading /q/a", all(silent, unsaid, []string{"1 expired; 1 session", "1 crashed"}),
			all(said, gone)},
		{"...", []string{"1 leading /q/a", "2 leading"}, []string{"1 holding /q/a", "1 waiting /q/a", "1 passed",
			"0 leading"}},
		// A client must show its name before it goes home or takes another.
		{"1 named /ids 3\n...\n1 exited", silent, all(said, unsaid)},
		{"1 named /ids 3\n...\n1 named /ids 4", silent, all(said, unsaid)},
		{"1 named /ids 3\n1 says /s=client-1\n...", []string{"1 named /ids 4; 1 exited",
			"1 named /ids 4; 2 exited; 1 named /ids 5"}, []string{"", "1 exited", "1 named /ids 4",
			"1 deleted /s; 1 exited"}},
		{"1 named /ids 3\n...", []string{"1 exited", "1 named /ids 4", "!1 exited; 1 exited"}, []string{"",
			"2 named /ids 4", "1 crashed", "1 exited session expired", "2 exited", "1 counted /ids 4", "1 expired"}},
		{"...\n1 exited", []string{"1 named /ids 3", "1 says /sign=client-1; 1 named /ids 3"}, []string{"",
			"2 named /ids 3", "1 counted /ids 3"}},
	})
	judgeClauses(t, promise.Announced, onLive, []clause{
		{"@1s\n!1 leading /q/a\n@2s\n...", []string{"1 closed"}, []string{"", "1 expired", "2 closed"}},
		{"...\n1 named /ids 3\n1 exited", []string{"", "2 unanswered /s"}, []string{"1 unanswered /s"}},
		{"...\n1 named /ids 3\n1 named /ids 4", []string{"", "2 unanswered /s"}, []string{"1 unanswered /s"}},
	})
}

func TestMembershipTrueClauses(t *testing.T) {
	const three = "1 created /g/a\n1 created /g/b\n1 created /g/c\n"
	judgeClauses(t, promise.MembershipTrue, onSim, []clause{
		{three + "2 glances /g\n...\n2 saw /g 2", []string{"", "1 created /g/d", "1 created /h/x", "1 deleted /h/x",
			"1 changed /g/a", "1 created /g/a/x", "1 deleted /g/x/y", "3 glances /g"},
			[]string{"1 deleted /g/a", "1 swept /g/a", "1 deleted /g/a; 1 created /g/a",
				"1 created /g/d; 1 deleted /g/a; 1 deleted /g/b", "2 glances /h"}},
		{three + "2 glances /g\n...\n2 saw /g 4", []string{"", "1 deleted /g/a", "1 created /h/x",
			"1 deleted /g/a; 1 created /g/a"},
			[]string{"1 created /g/d", "0 created /g/d", "1 owns /g/d", "1 created /g/d; 1 deleted /g/d",
				"1 deleted /g/a; 1 created /g/a; 1 created /g/d"}},
		{three + "...\n1 deleted /g/a\n2 saw /g 3", nil, []string{"", "2 glances /g", "2 glances /h"}},
		{three + "2 glances /g\n1 deleted /g/a\n...\n2 saw /g 3", []string{"2 glances /g",
			"3 glances /g; 2 glances /g"}, []string{"", "3 glances /g", "2 sends-get /g", "2 hears-children /g",
			"0 glances /g"}},
		{three + "2 glances /g\n...", []string{"2 saw /g 2", "2 saw /g 4", "2 saw /g", "2 saw /g 3; 2 saw /g 2"},
			[]string{"", "2 saw /g 3", "2 saw /h 2", "3 saw /g 2", "2 counted /g 2", "0 saw /g 2",
				"2 saw /g 3; 2 saw /g 3"}},
		{"1 created /g/a\n1 deleted /g/a\n2 glances /g\n...\n2 saw /g 1", []string{"",
			"3 glances /g; 3 glances /h"}, []string{"1 created /g/a"}},
		{three + "3 glances /g\n2 glances /g\n1 deleted /g/a\n3 glances /h\n...\n2 saw /g 3",
			[]string{"2 glances /g", "2 glances /h; 2 glances /g"}, []string{""}},
	})
	judgeClauses(t, promise.MembershipTrue, onLive, []clause{{three + "2 glances /g\n...", nil,
		[]string{"2 saw /g 2"}}})
	// However many come and go while somebody looks, or looks at another group.
	up, down := func(n int) string { return strings.Repeat("1 created /g/d\n", n) },
		func(n int) string { return strings.Repeat("1 deleted /g/d\n", n) }
	churn := strings.Repeat("1 created /g/d\n1 deleted /g/d\n1 deleted /g/c\n1 created /g/c\n", 50)
	judgeClauses(t, promise.MembershipTrue, onSim, []clause{
		{three + "3 glances /g\n" + churn + "2 glances /g\n" + churn + "...", []string{"3 saw /g 5", "2 saw /g 1"},
			[]string{"3 saw /g 2", "3 saw /g 4", "2 saw /g 2", "2 saw /g 4"}},
		{up(100) + "2 glances /g\n" + down(50) + "3 glances /h\n" + up(100) + "...", []string{"2 saw /g 49",
			"2 saw /g 151"}, []string{"2 saw /g 50", "2 saw /g 150"}},
		{up(100) + "2 glances /g\n" + up(50) + "3 glances /h\n" + down(100) + "...", []string{"2 saw /g 49",
			"2 saw /g 151"}, []string{"2 saw /g 50", "2 saw /g 150"}},
		{up(100) + "2 glances /g\n" + down(50) + "3 glances /g\n" + up(200) + down(200) + "...",
			[]string{"2 saw /g 251", "3 saw /g 49"}, []string{"3 saw /g 50", "3 saw /g 250"}},
	})
}
