package check_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
)

// TestQueueRules judges hand-written logs by what queues and crews promise; want names what is broken.
func TestQueueRules(t *testing.T) {
	const twoItems = "@1s\n1 created /q/i-0000000001\n1 created /q/i-0000000002\n"
	for _, c := range []struct{ rule, name, script, want string }{
		{"at-most-once", "lost", "1 produced /q/i-0000000001\n2 deleted /q/i-0000000001\n2 crashed\n0 ends", ""},
		{"at-most-once", "taken twice", "2 consumed /q/i-0000000001\n@2s\n3 consumed /q/i-0000000001", `
			at-most-once/twice 2s [3 2]: client-3 took i-0000000001 at 2.0 s, which client-2 had taken at 0.0 s`},

		{"served-in-order", "in order", twoItems + "3 lists /q\n3 deleted /q/i-0000000001\n3 deleted /q/i-0000000002", ""},
		{"served-in-order", "the later one first", twoItems + "3 lists /q\n@2s\n3 deleted /q/i-0000000002", `
			served-in-order 2s [3]: client-3 took i-0000000002 at 2.0 s and passed over i-0000000001, which had come before: it had been free since 1.0 s, and was when client-3 last listed the queue`},
		{"served-in-order", "the later one first, at the root",
			"1 created /i-0000000001\n1 created /i-0000000002\n3 lists /\n3 deleted /i-0000000002", "served-in-order"},
		{"served-in-order", "the first is gone meanwhile", twoItems +
			"3 lists /q\n4 deleted /q/i-0000000001\n3 deleted /q/i-0000000002", ""},
		{"served-in-order", "came after the list",
			"1 created /q/i-0000000002\n3 lists /q\n1 created /q/i-0000000001\n3 deleted /q/i-0000000002", ""},
		{"served-in-order", "another queue", twoItems +
			"1 created /p/j-0000000003\n3 lists /q\n3 lists /p\n3 deleted /p/j-0000000003", ""},
		{"served-in-order", "marked in order", twoItems +
			"3 lists /q\n4 lists /q\n3 owns /m/i-0000000001\n4 owns /m/i-0000000002\n4 deleted /q/i-0000000002", ""},
		{"served-in-order", "the later one marked first", twoItems +
			"3 lists /q\n3 owns /m/i-0000000002\n4 lists /q\n4 owns /m/i-0000000001", "served-in-order"},
		{"served-in-order", "free again since the list", twoItems +
			"3 owns /m/i-0000000001\n4 lists /q\n3 swept /m/i-0000000001\n4 owns /m/i-0000000002", ""},
		{"served-in-order", "free again before the list", twoItems +
			"3 owns /m/i-0000000001\n3 swept /m/i-0000000001\n4 lists /q\n4 owns /m/i-0000000002", "served-in-order"},
		{"served-in-order", "worked off by whom it was marked for", twoItems +
			"3 owns /m/i-0000000002\n3 lists /q\n3 deleted /q/i-0000000002", ""},
		{"served-in-order", "removed by nobody that listed", twoItems +
			"0 deleted /q/i-0000000002\n3 deleted /q/i-0000000001", ""},

		{"urgent-first", "by rank, then by age",
			"1 created /q/i-1-0000000001\n1 created /q/i-0-0000000002\n1 created /q/i-0-0000000003\n3 lists /q\n3 owns " +
				"/m/i-0-0000000002\n4 lists /q\n4 owns /m/i-0-0000000003\n4 lists /q\n4 owns /m/i-1-0000000001", ""},
		{"urgent-first", "by age",
			"1 created /q/i-1-0000000001\n@2s\n1 created /q/i-0-0000000002\n3 lists /q\n@3s\n3 owns /m/i-1-0000000001", `
			urgent-first 3s [3]: client-3 took i-1-0000000001 at 3.0 s and passed over i-0-0000000002, which is more urgent: it had been free since 2.0 s, and was when client-3 last listed the queue`},

		{"earliest-first", "by the time, then by age",
			"1 created /q/i-000000002500-0000000001\n1 created /q/i-000000002000-0000000002\n1 created " +
				"/q/i-000000002000-0000000003\n3 lists /q\n3 owns /m/i-000000002000-0000000002\n4 lists /q\n4 owns " +
				"/m/i-000000002000-0000000003\n4 lists /q\n4 owns /m/i-000000002500-0000000001", ""},
		{"earliest-first", "by age",
			"1 created /q/i-000000002500-0000000001\n1 created /q/i-000000002000-0000000002\n3 lists /q\n@3s\n3 owns " +
				"/m/i-000000002500-0000000001", `
			earliest-first 3s [3]: client-3 took i-000000002500-0000000001 at 3.0 s and passed over i-000000002000-0000000002, which was due first: it had been free since 0.0 s, and was when client-3 last listed the queue`},

		{"not-before-due", "when it is due",
			"@2.5s\n3 began /q/i-000000002500-0000000001\n3 consumed /q/i-000000002000-0000000002", ""},
		{"not-before-due", "too early", "@2s\n3 began /q/i-000000002500-0000000001", `
			not-before-due 2s [3]: client-3 took i-000000002500-0000000001 at 2.0 s, but it was due at 2.5 s`},
		{"not-before-due", "no time in the name",
			"3 began /q/item-0000000001\n3 began /q/item\n3 began /q/99999999-x-0000000001\n3 began " +
				"/q/i-99999999999999999999-0000000001", ""},

		{"all-done", "done", "1 created /q/i\n2 has-read /q\n2 waiting\n2 deleted /q/i\n2 exited\n0 ends all-done", ""},
		{"all-done", "goes home too early",
			"@1s\n1 created /q/i\n1 created /q/j\n2 has-read /q\n2 done /q/h\n@2s\n2 exited\n0 ends all-done", `
			all-done 2s [2]: everybody is done, but i and j aren't: i had been there since 1.0 s, and client-2 still went home at 2.0 s`},
		{"all-done", "came when it had looked",
			"2 has-read /q\n2 waiting\n1 created /q/i\n2 has-read /q\n2 exited\n0 ends all-done", ""},
		{"all-done", "dead, failed or nobody's work",
			"1 created /q/i\n1 has-read /q\n1 produced /q/i\n2 has-read /q\n2 began /q/i\n3 has-read /q\n3 waiting\n4 " +
				"has-read /q\n1 exited\n2 crashed\n3 exited session expired\n4 exited\n0 ends all-done", ""},
		{"all-done", "not over", "1 created /q/i\n2 has-read /q\n2 waiting\n2 exited\n0 ends time-limit", ""},
	} {
		checker := check.New([]string{c.rule}, event.Header{Host: "sim"})
		for _, e := range script(t, c.script) {
			checker.Append(e)
		}
		compare(t, c.rule+", "+c.name, checker.Report(), c.want)
	}
}

// A live host learns late who took an item. Until then it may seem passed over.
func TestLateNewsOfQueues(t *testing.T) {
	const passedOver = "1 applies\n1 creates /q/i-0000000001\n1 applies\n1 creates /q/i-0000000002\n3 lists /q\n3 " +
		"applies\n3 deletes /q/i-0000000002\n"
	for name, c := range map[string]struct{ script, want string }{
		"taken later":    {passedOver + "4 applies\n4 deletes /q/i-0000000001", "served-in-order"},
		"not yet taken":  {passedOver, ""},
		"who knows":      {passedOver + "4 deleted /q/i-0000000001", ""},
		"an answer lost": {passedOver + "4 loses\n4 applies\n4 deletes /q/i-0000000001", ""},
		"known late":     {passedOver + "4 applies\n4 deletes /q/i-0000000001 1", ""},
		"was at work":    {passedOver + "4 began /q/i-0000000001\n4 applies\n4 deletes /q/i-0000000001", ""},
	} {
		checker := check.New([]string{promise.ServedInOrder}, event.Header{Host: "live"})
		for _, e := range script(t, c.script) {
			checker.Append(e)
		}
		compare(t, name, checker.Report(), c.want)
	}
}
