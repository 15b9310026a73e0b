package check_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
)

// TestRules judges hand-written logs by one rule each; want names what is broken.
func TestRules(t *testing.T) {
	for _, c := range []struct{ rule, name, script, want string }{
		{"truth-exclusion", "leaders", "1 leading /l/n-0000000001\n@3s\n2 leading /l/n-0000000002", `
			truth-exclusion 3s [2 1]: client-2 entered at 3.0 s while client-1 had been inside since 0.0 s, its session alive`},
		{"truth-exclusion", "a leader that stepped down", "1 leading /l/a\n1 lost\n2 leading /l/b", ""},
		{"truth-exclusion", "readers", "1 reading /l/a\n2 reading /l/b", ""},

		{"fenced", "one after the other",
			"1 created /l/a\n1 holding /l/a\n1 stores db\n1 released /l/a\n2 created /l/b\n2 holding /l/b\n2 stores db", ""},
		{"fenced", "an earlier holder writes late",
			"1 created /l/a\n1 holding /l/a\n@12s\n1 expired\n2 created /l/b\n2 holding /l/b\n2 stores db\n@20s\n1 stores db", `
			fenced 20s [1 2]: db took a write from client-1 at 20.0 s, after one from client-2, which had got in later; client-1's session had expired at 12.0 s`},
		{"fenced", "another store",
			"1 created /l/a\n1 holding /l/a\n2 created /l/b\n2 holding /l/b\n2 stores db\n1 stores printer", ""},
		{"fenced", "the earlier holder says so late",
			"1 created /l/a\n2 created /l/b\n2 holding /l/b\n1 holding /l/a\n1 stores db\n2 stores db", ""},
		{"fenced", "held twice",
			"1 created /l/a\n1 holding /l/a\n2 created /l/b\n2 holding /l/b\n2 stores db\n1 created /l/c\n1 holding /l/c\n1 " +
				"stores db", ""},
		{"fenced", "a leader and a writer",
			"1 created /l/a\n1 leading /l/a\n2 created /l/b\n2 writing /l/b\n2 stores db\n1 stores db", "fenced"},
		{"fenced", "no znode", "1 holding\n2 created /l/b\n2 holding\n2 stores db\n1 stores db", "fenced"},
		{"fenced", "never inside", "1 stores db\n2 created /l/b\n2 holding /l/b\n2 stores db\n1 stores db", ""},

		{"capacity-2", "two", "1 holding /s/a\n2 holding /s/b\n1 released /s/a\n3 holding /s/c", ""},
		{"capacity-2", "three", "1 holding /s/a\n2 holding /s/b\n@2s\n3 holding /s/c", `
			capacity-2 2s [3 1 2]: client-3 entered at 2.0 s while client-1 and client-2 were inside, but there's only room for 2`},
		{"capacity-2", "one of them has expired", "1 holding /s/a\n2 holding /s/b\n1 expired\n3 holding /s/c", ""},
		{"capacity-1", "two", "1 holding /s/a\n2 holding /s/b", "capacity-1"},

		{"readers-writers", "readers", "1 reading /l/a\n2 reading /l/b\n1 released\n2 released\n3 writing /l/c", ""},
		{"readers-writers", "a writer among readers", "@1s\n1 reading /l/a\n@2s\n2 writing /l/b", `
			readers-writers 2s [2 1]: client-2 began writing at 2.0 s while client-1 had been reading since 1.0 s, its session alive`},
		{"readers-writers", "a reader beside a writer", "1 writing /l/a\n2 reading /l/b", "readers-writers"},
		{"readers-writers", "downgrade", "1 writing /l/a\n1 reading /l/a\n2 reading /l/b", ""},
		{"readers-writers", "the writer has expired", "1 writing /l/a\n1 expired\n2 writing /l/b", ""},

		{"order", "a late report of one whose session is over",
			"1 expired\n2 holding /l/n-0000000002\n1 holding /l/n-0000000001", ""},

		{"progress", "all done", "1 started\n1 waiting\n1 holding\n1 released\n1 exited\n0 ends all-done", ""},
		{"progress", "stuck", "1 started\n2 started\n1 exited\n2 waiting\n2 blocked\n@9s\n0 ends stuck", `
			progress 9s [2]: client-2 waits forever: at 9.0 s nothing is left that could wake anybody`},
		{"progress", "out of time", "1 started\n2 started\n@90s\n0 ends time-limit", `
			progress/endless 1m30s [1 2]: client-1 and client-2 hadn't finished by 90.0 s, when everybody should have been done long ago`},
		{"progress", "round and round", "1 started\n@2s\n0 ends spin", `
			progress/endless 2s [1]: client-1 hadn't finished by 2.0 s, when everybody should have been done long ago`},
		{"progress", "crashed, expired and asleep",
			"1 started\n2 started\n3 started\n1 crashed\n2 expired\n3 paused\n0 ends time-limit", ""},
		{"progress", "interrupted", "1 started\n1 waiting\n0 ends cancelled", ""},
		{"progress", "an expected error", "1 started\n1 exited create /l/a: session expired", ""},
		{"progress", "an error", "1 started\n@2s\n1 exited delete /l/a: not empty", `
			progress/errs 2s [1]: client-1 gave up at 2.0 s: delete /l/a: not empty`},
		{"progress", "spins", "1 started\n@3s\n1 polls /l 211", `
			progress/spins 3s [1]: client-1 spins: at 3.0 s it had sent 210 requests in a row without waiting for anything`},
		{"progress", "asks often, but waits between",
			"1 started\n1 polls /l 209\n1 blocked\n1 polls /l 209\n1 waiting\n1 polls /l 209", ""},

		{"one-wakeup", "one", "9 deleted /l/a\n1 woken /l/a 1", ""},
		{"one-wakeup", "two", "@1s\n9 deleted /l/a\n@2s\n1 woken /l/a 1\n2 woken /l/a 1\n3 woken /l/a 1", `
			one-wakeup 2s [2 1]: the release at 1.0 s woke client-1, and at 2.0 s it woke client-2 too`},
		{"one-wakeup", "one each", "8 deleted /l/a\n1 woken /l/a 1\n@1s\n9 deleted /l/b\n2 woken /l/b 4", ""},

		{"clean", "nothing left", "0 created /r\n1 created /r/a\n1 deleted /r/a\n0 ends all-done", ""},
		{"clean", "left", "@1s\n1 created /r/a\n@7s\n0 ends all-done", `
			clean 7s [1]: everybody has gone, but a is still there, made by client-1`},
		{"clean", "left by two", "2 created /r/a\n1 created /r/b\n1 created /r/c\n1 created /r/d\n0 ends all-done", `
			clean 0s [1 2]: everybody has gone, but a, b, c and d are still there, made by client-1 and client-2`},
		{"clean", "parents and what is kept",
			"1 created /r/p\n1 created /r/kept\n1 created /r/kept/x\n1 created /r/item-0000000001\n1 created /other\n0 ends " +
				"all-done", ""},
		{"clean", "not yet over", "1 created /r/a\n0 ends stuck", ""},
		{"clean", "gave up and removed its znode",
			"1 created /r/a\n1 waiting /r/a\n1 gave-up\n1 deleted /r/a\n1 closed\n0 ends all-done", ""},
		{"clean", "gave up and left it to its session",
			"@1s\n1 created /r/a\n1 waiting /r/a\n@2s\n1 gave-up\n@5s\n1 closed\n1 swept /r/a\n0 ends all-done", `
			clean 5s [1]: client-1 gave up at 2.0 s, but a was still there when it closed its session at 5.0 s`},
		{"clean", "gave up and queues up again",
			"1 created /r/a\n1 waiting /r/a\n@2s\n1 gave-up /r/a\n@5s\n1 created /r/b\n1 waiting /r/b", `
			clean 5s [1]: client-1 gave up at 2.0 s, but a was still there when it queued up again at 5.0 s`},

		{"once", "done",
			"1 produced /q/i-0000000001\n2 began /q/i-0000000001\n2 deleted /q/i-0000000001\n2 done /q/i-0000000001\n0 ends",
			""},
		{"once", "done and not said",
			"1 produced /q/i-0000000001\n2 began /q/i-0000000001\n2 deleted /q/i-0000000001\n2 crashed\n0 ends", ""},
		{"once", "removed before it was done",
			"1 produced /q/i-0000000001\n2 deleted /q/i-0000000001\n2 began /q/i-0000000001\n2 crashed\n0 ends", "once/lost"},
		{"once", "done twice",
			"1 produced /q/i-0000000001\n2 began /q/i-0000000001\n2 done /q/i-0000000001\n3 began /q/i-0000000001\n3 done " +
				"/q/i-0000000001", "once/twice"},
		{"once", "comes back",
			"1 produced /q/i-0000000001\n2 began /q/i-0000000001\n2 crashed\n3 began /q/i-0000000001\n3 done " +
				"/q/i-0000000001\n3 deleted /q/i-0000000001\n0 ends", ""},

		{"one-worker", "one after the other", "1 began /t/a\n1 done /t/a\n2 began /t/a\n1 began /t/b", ""},
		{"one-worker", "two", "@1s\n1 began /t/a\n@2s\n2 began /t/a", `
			one-worker 2s [2 1]: client-2 began to work on a at 2.0 s while client-1 had been at work on it since 1.0 s, its session alive`},
		{"one-worker", "the first is gone",
			"1 began /t/a\n1 expired\n2 began /t/a\n2 crashed\n3 began /t/a\n3 lost\n4 began /t/a", ""},

		{"together", "all done", "1 passed\n2 passed\n1 leaving\n2 leaving\n1 left\n2 left", ""},
		{"together", "too early", "1 passed\n2 passed\n3 passed\n1 leaving\n@4s\n1 left", `
			together 4s [1 2 3]: client-1 left at 4.0 s, when client-2 and client-3 hadn't done all of it`},
		{"together", "one is gone", "1 passed\n2 passed\n2 expired\n1 leaving\n1 left", ""},
		{"together", "second round", "1 passed\n2 passed\n1 leaving\n2 leaving\n1 left\n1 passed\n2 left\n2 passed\n1 left",
			"together"},

		{"together", "out at last", "1 passed\n1 leaving\n1 left\n0 ends stuck", ""},
		{"together", "waits for the dead", "1 passed\n2 passed\n2 expired\n1 leaving\n@9s\n0 ends stuck", `
			together/dead 9s [1]: in the end the only one that keeps client-1 from going on with the others is dead`},

		{"barrier", "left behind", "1 waiting\n2 waiting\n3 waiting\n1 passed\n3 crashed\n@9s\n0 ends stuck", `
			barrier/behind 9s [2]: client-2 waits forever at a barrier that has let others through`},
		{"barrier", "nobody passed", "1 waiting\n2 waiting\n3 crashed\n0 ends stuck", ""},

		{"unique", "different", "1 named /n 1\n2 named /n 2\n1 counted /n 1\n1 counted /m 1", ""},
		{"unique", "an id twice", "1 named /n/a 7\n@2s\n2 named /n/b 7", `
			unique 2s [2]: client-2 got the id 7 at 2.0 s, which had been given out before`},
		{"unique", "a count twice", "1 counted /n 7\n2 counted /n 7", `
			unique 0s [2]: client-2 got the count 7 at 0.0 s, which had been given out before`},
		{"unique", "a name twice", "1 named /n/printer\n@2s\n2 named /n/printer", `
			unique 2s [2 1]: client-2 got the name printer at 2.0 s, which client-1 has`},
		{"unique", "a name that is free again", "1 named /n/p\n1 released /n/p\n2 named /n/p\n2 expired\n3 named /n/p", ""},

		{"agreed", "agreed", "1 committed /t/1\n2 committed /t/1\n1 aborted /t/2\n2 aborted /t/2", ""},
		{"agreed", "not agreed", "1 committed /t/1\n@2s\n2 aborted /t/1", `
			agreed 2s [2 1]: client-2 reports 1 as aborted at 2.0 s, but client-1 had reported it as committed`},
	} {
		h := event.Header{Host: "sim", Root: "/r", Clients: 3, Parents: []string{"/r", "/r/p"},
			Keeps: []string{"kept", "item-"}}
		checker := check.New([]string{c.rule, "no-such-rule"}, h)
		for _, e := range script(t, c.script) {
			checker.Append(e)
		}
		compare(t, c.rule+", "+c.name, checker.Report(), c.want)
	}
}

// What a live host learns late is judged when it is known.
func TestLateNewsOfOtherRules(t *testing.T) {
	const three = "1 holding /s/a\n2 holding /s/b\n3 holding /s/c\n@5s\n"
	for name, c := range map[string]struct{ rule, script, want string }{
		"three inside, nothing known":   {"capacity-2", three, ""},
		"three inside, all prove it":    {"capacity-2", three + "1 closed\n2 closed\n3 closed", "capacity-2"},
		"three inside, one had expired": {"capacity-2", three + "1 closed\n2 expired\n3 closed", ""},
		"two at work, one had expired":  {"one-worker", "1 began /t/a\n2 began /t/a\n@5s\n2 closed\n1 expired", ""},
		"two at work, both prove it":    {"one-worker", "1 began /t/a\n2 began /t/a\n@5s\n2 closed\n1 closed", "one-worker"},
		"late report, had expired": {"order", "2 holding /l/n-0000000002\n1 holding /l/n-0000000001\n@5s\n1 expired",
			""},
		"out of order, alive": {"order", "2 holding /l/n-0000000002\n1 holding /l/n-0000000001\n@5s\n1 closed", "order"},
	} {
		checker := check.New([]string{c.rule}, event.Header{Host: "live"})
		for _, e := range script(t, c.script) {
			checker.Append(e)
		}
		compare(t, name, checker.Report(), c.want)
	}
}

func TestOnlyTheRulesAskedFor(t *testing.T) {
	all := script(t, `
		1 holding /l/a-0000000002
		2 holding /l/a-0000000001
		1 consumed /x
		2 consumed /x
		1 passed`)
	for _, rule := range []string{promise.TruthExclusion, promise.BeliefExclusion, promise.Order, promise.Once,
		promise.Barrier} {
		c := check.New([]string{rule, "no-such-rule"}, event.Header{Clients: 3})
		for _, e := range all {
			c.Append(e)
		}
		if v := c.Report().Violations; len(v) != 1 || v[0].Rule != rule {
			t.Errorf("%s: %+v", rule, v)
		}
	}
}
