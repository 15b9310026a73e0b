package check_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/event"
)

// TestLockRules judges hand-written logs by what locks promise apart from exclusion and order; want names what is
// broken.
func TestLockRules(t *testing.T) {
	const (
		held  = "1 holding /l/a\n1 gets /l/a\n1 watches /l/a\n1 has-read /l/a\n1 waits /l/a 9\n@2s\n2 changed /l/a\n"
		heard = held + "@3s\n1 told /l/a\n1 gets /l/a\n"
		known = heard + "@4s\n1 has-read /l/a\n"
	)
	for _, c := range []struct{ rule, name, script, want string }{
		{"no-overtaking", "readers among themselves", "1 reading /l/read-0000000002\n2 reading /l/read-0000000001", ""},
		{"no-overtaking", "in their order",
			"1 reading /l/read-0000000001\n1 released\n2 writing /l/write-0000000002\n2 reading /l/read-0000000002\n3 reading " +
				"/l/read-0000000003", ""},
		{"no-overtaking", "a reader passes a writer",
			"@2s\n3 reading /l/read-0000000007\n3 released\n@5s\n2 writing /l/write-0000000006", `
			no-overtaking 5s [3 2]: client-3 with number 7 had got in before client-2 with number 6, which had queued ahead of it and only began writing at 5.0 s`},
		{"no-overtaking", "a writer passes a reader",
			"3 writing /l/write-0000000007\n3 released\n2 reading /l/read-0000000006", "no-overtaking"},
		{"no-overtaking", "a writer passes a writer",
			"3 writing /l/write-0000000007\n3 reading /l/read-0000000007\n2 writing /l/write-0000000006", "no-overtaking"},
		{"no-overtaking", "an older reader comes between",
			"1 reading /l/read-0000000007\n3 reading /l/read-0000000005\n2 writing /l/write-0000000006", "no-overtaking"},
		{"no-overtaking", "another lock", "3 reading /l/read-0000000007\n2 writing /m/write-0000000006", ""},
		{"no-overtaking", "its session is over", "2 expired\n3 reading /l/read-0000000007\n2 writing /l/write-0000000006",
			""},

		{"gives-up-in-time", "waits once", "1 waiting /l/a\n1 waits /l/b 3\n@3s\n1 gave-up /l/a", ""},
		{"gives-up-in-time", "waits for what is left",
			"1 waiting /l/a\n1 waits /l/b 3\n@2s\n1 gets /l/c\n1 waits /l/c 1\n@3s\n1 gave-up /l/a", ""},
		{"gives-up-in-time", "the answers take long", "1 waiting /l/a\n1 waits /l/b 3\n@2s\n1 gets /l/c\n@9s\n1 waits /l/c 1",
			""},
		{"gives-up-in-time", "without a limit", "1 waiting /l/a\n@2s\n1 waits /l/b", `
			gives-up-in-time 2s [1]: client-1 has waited for its turn without a limit since 2.0 s: it will never give up`},
		{"gives-up-in-time", "the same again", "1 waiting /l/a\n1 waits /l/b 3\n@2s\n1 gets /l/c\n1 waits /l/c 3", `
			gives-up-in-time 2s [1]: client-1 goes on waiting at 2.0 s until 5.0 s, but its patience runs out at 3.0 s`},
		{"gives-up-in-time", "in the second wait no limit", "1 waiting /l/a\n1 waits /l/b 3\n1 waits /l/c",
			"gives-up-in-time"},
		{"gives-up-in-time", "a new attempt",
			"1 waiting /l/a\n1 waits /l/b 3\n@3s\n1 gave-up /l/a\n1 waiting /l/d\n1 waits /l/b 9", ""},
		{"gives-up-in-time", "waits for something else", "1 waiting /l/a\n1 holding /l/a\n1 waits /l/b", ""},

		{"revoked-in-time", "leaves at once", known + "1 released", ""},
		{"revoked-in-time", "nobody asked", "1 holding /l/a\n@9s\n1 released", ""},
		{"revoked-in-time", "done before it hears", held + "1 released", ""},
		{"revoked-in-time", "asked while it queues",
			"2 changed /l/a\n1 holding /l/a\n1 gets /l/a\n1 watches /l/a\n1 has-read /l/a\n1 released", ""},
		{"revoked-in-time", "does not listen", "@1s\n1 holding /l/a\n@2s\n2 changed /l/a\n@9s\n1 released", `
			revoked-in-time 9s [1 2]: client-2 asked client-1 at 2.0 s to leave, but it never listened: it stayed until 9.0 s`},
		{"revoked-in-time", "reads it and waits again", known + "1 waits /l/a 9", `
			revoked-in-time 4s [1 2]: client-2 asked client-1 at 2.0 s to leave; it knew at 3.0 s, but settled down to wait at 4.0 s`},
		{"revoked-in-time", "reads it and stays", known + "@9s\n1 released", `
			revoked-in-time 9s [1 2]: client-2 asked client-1 at 2.0 s to leave; it knew at 3.0 s, but stayed until 9.0 s`},
		{"revoked-in-time", "hears it and takes its time", held + "@3s\n1 told /l/a\n@9s\n1 gets /l/a", `
			revoked-in-time 9s [1 2]: client-2 asked client-1 at 2.0 s to leave; it knew at 3.0 s, but let time pass until 9.0 s`},
		{"revoked-in-time", "the answer takes long", heard + "@30s\n1 has-read /l/a\n1 released", ""},
		{"revoked-in-time", "asked at its next turn", known + "1 released\n8 deleted /l/a\n1 holding /l/b\n@9s\n1 released",
			""},
		{"revoked-in-time", "its session is over", "1 holding /l/a\n2 changed /l/a\n1 expired\n@9s\n1 released", ""},
		{"revoked-in-time", "it set its znode itself", "1 holding /l/a\n1 changed /l/a\n@9s\n1 released", ""},
		{"revoked-in-time", "gone", known + "1 crashed", ""},
	} {
		checker := check.New([]string{c.rule}, event.Header{Host: "sim", Clients: 3})
		for _, e := range script(t, c.script) {
			checker.Append(e)
		}
		compare(t, c.rule+", "+c.name, checker.Report(), c.want)
	}
}

// On a real server every step takes time, and the end of a session is known late: neither breaks a rule.
func TestLockRulesLive(t *testing.T) {
	const asked = "1 holding /l/a\n1 watches /l/a\n@2s\n2 changed /l/a\n@3s\n1 told /l/a\n"
	for name, c := range map[string]struct{ rule, script, want string }{
		"slow to leave": {"revoked-in-time", asked + "@4s\n1 gets /l/a\n@5s\n1 has-read /l/a\n@6s\n1 released",
			""},
		"settles down": {"revoked-in-time", asked + "@4s\n1 gets /l/a\n1 has-read /l/a\n1 waits /l/a 9",
			"revoked-in-time"},
		"overtaken, had expired": {"no-overtaking", "3 reading /l/r-0000000007\n2 writing /l/w-0000000006\n@9s\n2 expired",
			""},
		"overtaken, and was alive": {"no-overtaking", "3 reading /l/r-0000000007\n2 writing /l/w-0000000006\n@9s\n2 closed",
			"no-overtaking"},
		"the machine is slow": {"gives-up-in-time",
			"1 waiting /l/a\n1 waits /l/b 3\n@2s\n1 gets /l/c\n@8s\n1 waits /l/c 1", ""},
		"waits longer than it said": {"gives-up-in-time", "1 waiting /l/a\n1 waits /l/b 3\n@2s\n1 gets /l/c\n1 waits /l/c 2",
			"gives-up-in-time"},
	} {
		checker := check.New([]string{c.rule}, event.Header{Host: "live"})
		for _, e := range script(t, c.script) {
			checker.Append(e)
		}
		compare(t, name, checker.Report(), c.want)
	}
}
