package check_test

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
)

// How a run ends: by itself, never, or because somebody stopped it.
const (
	allDone   = "0 ends all-done"
	stuck     = "0 ends stuck"
	timeIsUp  = "0 ends time-limit"
	inCircles = "0 ends spin"
	tooLong   = "0 ends event-limit"
	cancelled = "0 ends cancelled"
)

var (
	// What leaves client-1 at the end of a run as if nothing had happened, and what explains that it isn't done.
	stillThere = []string{
		"", "1 waiting /l/a", "1 holding", "1 blocked", "1 paused; 1 resumed", "1 expired; 1 session",
		"1 closed; 1 session", "1 released",
		"1 loses /l/a", "2 exited", "2 paused", "2 expired", "1 gave-up",
	}
	notThere = []string{"1 exited", "1 crashed", "1 expired", "1 closed", "1 paused", "1 paused; 1 resumed; 1 paused"}
)

func TestProgressClauses(t *testing.T) {
	for _, end := range []string{stuck, timeIsUp, inCircles} {
		judgeClauses(t, promise.Progress, onSim, []clause{{"1 started\n...\n" + end, stillThere, notThere}})
	}
	judgeClauses(t, promise.Progress, onSim, []clause{
		{"1 started\n...", []string{stuck, timeIsUp, inCircles}, []string{"", allDone, tooLong, cancelled, "0 ends"}},
		{"1 started\n...", []string{"1 exited boom", "1 exited get /a: no node",
			"1 exited delete /a: connection loss"}, []string{
			"1 exited", "1 exited get /a: session expired", "1 exited wait: timed out", "1 exited get /a: stopped",
			"1 crashed",
			"1 exited store: refused: a greater fencing number has been here",
		}},
		// 210 requests of one among one client are too many.
		{"1 started\n1 polls /l 209\n...\n1 sends-get /l",
			[]string{
				"", "1 told /l", "1 has-read /l", "1 hears-set /l", "1 hears-get /l -101", "2 blocked", "2 waiting",
				"1 sends-ping", "1 sends-connect",
				"1 sends-closeSession", "1 sends-setWatches", "1 paused", "1 session", "1 refused db",
				"0 sends-get /l", "1 polls /l 0", "1 created /a",
			},
			[]string{"1 blocked", "1 waits /l 1", "1 waiting", "1 stores db", "1 connects", "1 hears-set /l -103",
				"2 started", "2 started; 1 sends-get /l"}},
		{"1 started\n2 started\n1 polls /l 219\n...", []string{"1 sends-get", "1 sends-create /l", "1 sends-sync",
			"1 sends-multi"},
			[]string{"", "2 sends-get", "1 sends-ping", "1 blocked; 1 polls /l 219"}},
	})
	events, _ := scriptOfClause(t, "1 started\n1 polls /l 600")
	if v := judgeClause(promise.Progress, onSim, events); len(v) != 1 {
		t.Errorf("who spins on is blamed %d times", len(v))
	}
}

func TestOneWakeupClauses(t *testing.T) {
	judgeClauses(t, promise.OneWakeup, onSim, []clause{
		{"9 deleted /l/a\n1 woken /l/a 1\n...",
			[]string{"2 woken /l/a 1", "1 woken /l/a 1", "1 holding; 2 woken /l/a 1", "2 waiting; 2 woken /l/a 1",
				"2 holding; 2 released; 2 woken /l/a 1"},
			[]string{
				"", "2 woken /l/a", "9 woken /l/a 1", "2 holding; 2 woken /l/a 1", "2 leading; 2 woken /l/a 1",
				"2 crashed; 2 woken /l/a 1",
				"9 deleted /l/b; 2 woken /l/b 4", "@1s; 9 deleted /l/b; 2 woken /l/b 4", "2 woken /l/x 77",
				"2 told /l/a",
			}},
		{"...\n2 woken /l/a 1", []string{"9 deleted /l/a; 1 woken /l/a 1", "9 swept /l/a; 1 woken /l/a 1",
			"0 swept-away /l/a; 1 woken /l/a 1"},
			[]string{"", "9 deleted /l/a", "0 deleted /l/a; 1 woken /l/a 1", "9 created /l/a; 1 woken /l/a 1",
				"9 changed /l/a; 1 woken /l/a 1"}},
	})
}

func TestCleanClauses(t *testing.T) {
	made := []string{"1 created /r/a", "1 owns /r/a", "1 created /r/kept2", "1 created /r/p/x", "1 created /r/item",
		"1 created /r/keptx/y", "1 created /r/a; 0 created /r/b"}
	kept := []string{
		"", "0 created /r/a", "1 created /r/p", "1 created /r", "1 created /r/kept", "1 created /r/kept/x",
		"1 created /r/item-0000000001",
		"1 created /r/item-1/x", "1 created /other", "1 created /rx/a", "1 deleted /r/a", "1 holding /r/a",
		"1 changed /r/a",
	}
	judgeClauses(t, promise.Clean, onSim, []clause{
		{"...\n" + allDone, made, kept},
		{"1 created /r/a\n...\n" + allDone,
			[]string{"", "1 deleted /r/b", "1 crashed", "1 expired", "1 released /r/a", "1 asks /r/a",
				"1 deleted /r/a; 2 created /r/a"},
			[]string{"1 deleted /r/a", "2 deleted /r/a", "0 deleted /r/a", "1 swept /r/a", "1 swept-away /r/a"}},
		{"1 created /r/a\n...", []string{allDone}, []string{"", stuck, timeIsUp, inCircles, tooLong, cancelled,
			"0 ends"}},
		// A client that gives up removes its znode before it queues again or goes.
		{"1 created /r/a\n1 waiting /r/a\n...\n1 waiting /r/b",
			[]string{"1 gave-up", "1 gave-up /r/a", "1 gave-up; 2 deleted /r/x", "1 gave-up; 2 gave-up; 1 holding"},
			[]string{
				"", "1 gave-up; 1 deleted /r/a", "1 deleted /r/a; 1 gave-up", "1 gave-up /r/b", "2 gave-up /r/a",
				"2 gave-up", "1 released",
				"1 gave-up; 2 deleted /r/a", "1 gave-up; 0 deleted /r/a", "1 gave-up; 1 swept-away /r/a",
			}},
		{"1 created /r/a\n1 waiting /r/a\n1 gave-up\n...",
			[]string{"1 waiting /r/b", "1 waiting", "!1 waiting /r/b; 1 waiting /r/c", "1 swept /r/a"},
			[]string{"", "1 waiting /r/a", "2 waiting /r/b", "1 holding /r/b", "1 swept-away /r/a", "1 swept /r/b",
				"1 deleted /r/b"}},
		{"1 created /r/a\n1 waiting /r/a\n...\n1 swept /r/a",
			[]string{"1 gave-up", "1 gave-up /r/a", "1 gave-up; 1 exited", "1 gave-up; 1 deleted /r/b"},
			[]string{"", "1 gave-up /r/b", "2 gave-up /r/a", "1 gave-up; 1 deleted /r/a; 1 created /r/a",
				"1 released"}},
	})
	events, _ := scriptOfClause(t, "1 created /r/a\n1 waiting /r/a\n1 gave-up\n1 waiting /r/b\n1 waiting /r/c")
	if v := judgeClause(promise.Clean, onSim, events); len(v) != 1 {
		t.Errorf("who gave up once is blamed for it %d times", len(v))
	}
}

// TestCleanWithoutRoot: if the header names no root, nothing may stay.
func TestCleanWithoutRoot(t *testing.T) {
	events, _ := scriptOfClause(t, "1 created /kept\n"+allDone)
	for root, want := range map[string]int{"": 1, "/r": 0} {
		c := check.New([]string{promise.Clean}, event.Header{Root: root})
		for _, e := range events {
			c.Append(e)
		}
		if v := c.Report().Violations; len(v) != want {
			t.Errorf("root %q: %+v", root, v)
		}
	}
}

func TestBarrierClauses(t *testing.T) {
	others := []string{
		"", "1 waiting", "2 waiting", "2 created /b/n", "3 started", "3 holding", "3 leaving", "3 asks /b/n",
		"3 deleted /b/n", "3 changed /b/n",
		"0 created /b/n", "4 exited",
	}
	arrives := []string{"3 waiting", "3 created /b/n", "3 owns /b/n", "4 waiting", "3 waiting; 3 crashed"}
	request := []string{"3 sends-create /b/n", "3 sends-multi /b/n"}
	judgeClauses(t, promise.Barrier, onSim, []clause{
		{"1 waiting\n2 waiting\n...\n1 passed", all(others, request), arrives},
		{"1 waiting\n2 waiting\n3 waiting\n1 passed\n2 passed\n3 passed\n1 waiting\n2 waiting\n...\n1 passed",
			append(others, "4 waiting"), []string{"3 waiting", "3 created /b/n", "3 owns /b/n"}},
		{"1 waiting\n2 waiting\n3 waiting\n1 passed\n2 passed\n3 passed\n...\n3 passed", []string{"", "1 waiting"},
			[]string{"1 waiting; 2 waiting"}},
		{"1 waiting\n2 waiting\n...", []string{"1 passed", "3 holding; 1 passed"}, []string{"", "3 passed",
			"1 holding", "1 left", "0 passed"}},
	})
	judgeClauses(t, promise.Barrier, onLive, []clause{
		{"1 waiting\n2 waiting\n...\n1 passed", all(others, []string{"3 sends-get /b/n", "3 sends-delete /b/n"}),
			all(arrives, request)},
	})
	judgeClauses(t, promise.Barrier, host{"sim", 0}, []clause{ // as many as have started
		{"1 started\n2 started\n1 waiting\n...\n1 passed", []string{"", "2 started; 2 waiting"},
			[]string{"2 waiting"}},
		{"1 waiting\n...\n1 passed", []string{"1 started; 2 started"}, []string{"", "1 started", "2 waiting"}},
	})
	for _, end := range []string{stuck, timeIsUp, inCircles} {
		judgeClauses(t, promise.Barrier, onSim, []clause{
			{"1 waiting\n2 waiting\n3 waiting\n3 passed\n2 passed\n...\n" + end, stillThere, append(notThere,
				"1 passed")},
			{"1 waiting\n2 waiting\n4 waiting\n1 passed\n2 passed\n4 passed\n...\n" + end, nil, []string{"",
				"3 started"}},
			{"1 waiting\n2 waiting\n3 waiting\n1 passed\n2 passed\n3 passed\n...\n" + end, nil, []string{"",
				"1 waiting", "1 waiting; 2 waiting; 3 waiting"}},
		})
	}
	judgeClauses(t, promise.Barrier, onSim, []clause{
		{"1 waiting\n2 waiting\n3 waiting\n3 passed\n2 passed\n...", []string{stuck}, []string{"", allDone, tooLong,
			cancelled}},
		{"1 waiting\n2 waiting\n3 waiting\n...\n" + stuck, []string{"2 passed"}, []string{"", "1 crashed"}},
	})
}

func TestTogetherClauses(t *testing.T) {
	busy := []string{
		"", "2 waiting", "2 holding", "2 paused", "2 expired; 2 session", "1 leaving", "3 leaving", "3 passed",
		"3 crashed", "2 deleted /b/n",
	}
	judgeClauses(t, promise.Together, onSim, []clause{
		{"1 passed\n2 passed\n...\n1 left", append(busy, "!2 left"), []string{
			"2 leaving", "2 exited", "2 exited boom", "2 crashed", "2 expired", "2 closed", "2 exited; 2 session",
			"2 leaving; 2 expired; 2 session",
		}},
		{"1 passed\n...\n1 left", []string{"2 passed", "2 passed; 3 passed; 3 left"}, []string{"", "2 waiting",
			"2 holding", "2 expired; 2 passed", "0 passed", "2 leaving"}},
		{"1 passed\n2 passed\n...", []string{"1 left", "1 leaving; 1 left"}, []string{"", "1 leaving", "3 left",
			"0 left"}},
		{"1 passed\n2 passed\n1 leaving\n2 leaving\n1 left\n2 left\n1 passed\n...\n1 left", []string{"2 passed"},
			[]string{"", "2 passed; 2 leaving"}},
		{"2 passed\n2 expired\n2 session\n1 passed\n...\n1 left", []string{""}, []string{"2 leaving"}},
	})
	for _, end := range []string{stuck, timeIsUp, inCircles} {
		judgeClauses(t, promise.Together, onSim, []clause{
			{"1 passed\n1 leaving\n...\n" + end, stillThere[2:], append(notThere, "1 left")},
			{"2 waiting\n3 waiting\n1 waiting\n...\n" + end, append(stillThere[:1], "1 waiting", "2 passed"),
				[]string{
					"1 passed; 2 passed; 3 passed", "1 crashed; 2 crashed; 3 crashed",
				}},
			{"1 waiting\n2 waiting\n...\n" + end, []string{"3 waiting"}, []string{"", "1 waiting", "3 holding"}},
			{"1 waiting\n2 waiting\n3 waiting\n1 passed\n2 passed\n3 passed\n1 waiting\n2 waiting\n...\n" + end,
				[]string{"3 waiting"}, []string{""}},
		})
	}
	judgeClauses(t, promise.Together, onSim, []clause{
		{"1 passed\n1 leaving\n...", []string{stuck}, []string{"", allDone, tooLong, cancelled}},
	})
	judgeClauses(t, promise.Together, host{"sim", 0}, []clause{ // nobody knows how many are to come
		{"1 waiting\n2 waiting\n3 waiting\n...\n" + stuck, nil, []string{""}},
	})
	judgeClauses(t, promise.Together, onLive, []clause{ // one of those at work has to prove that it was alive
		{"1 passed\n2 passed\n3 passed\n@1s\n!1 left\n@2s\n...", []string{"2 closed", "3 closed",
			"2 expired; 3 closed"}, []string{"", "1 closed", "2 expired; 3 expired"}},
	})
}

// TestTogetherWorksOnMany checks the counts for many clients and rounds.
func TestTogetherWorksOnMany(t *testing.T) {
	const round = "1 passed\n2 passed\n3 passed\n2 leaving\n3 leaving\n1 leaving\n1 left\n2 left\n3 left\n"
	judgeClauses(t, promise.Together, onSim, []clause{
		{strings.Repeat(round, 9) + "1 passed\n2 passed\n...\n1 left", []string{"", "3 passed; 2 crashed"},
			[]string{"2 leaving", "2 crashed"}},
	})
}
