package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestLogHandsChosen checks that --why and --who choose handovers, and only those.
func TestLogHandsChosen(t *testing.T) {
	for args, want := range map[string]string{
		"--why expired":              "lost it with n-0000000001",
		"--why let-go":               "lost it with n-0000000000",
		"--why closed":               "",
		"--who 0x100000000000A":      "got it with n-0000000000, lost it with n-0000000000",
		"--who host-b":               "got it with n-0000000001, lost it with n-0000000001",
		"--who host-b --why let-go":  "",
		"--who host-b --why expired": "lost it with n-0000000001",
		"--session 0x100000000000a":  "got it with n-0000000000, lost it with n-0000000000",
		"--who host --since 2026-11-25 ": "got it with n-0000000000, lost it with n-0000000000, " +
			"got it with n-0000000001, lost it with n-0000000001",
	} {
		code, out, errs := printed(t, append([]string{"log", night(t), "--hands", "/app/lock"}, strings.Fields(args)...)...)
		var got []string
		for line := range strings.Lines(out) {
			if fields := strings.SplitN(line, "  ", 4); len(fields) == 4 {
				what, _, _ := strings.Cut(fields[3], ":")
				got = append(got, strings.Join(strings.Fields(what)[:4], " "))
			}
		}
		if text := strings.Join(got, ", "); code != exitOK || text != want || errs != "" {
			t.Errorf("%s: exit code %d, it prints %s, not %s\n%s", args, code, text, want, errs)
		}
	}
	for args, want := range map[string]string{
		"--hands /app/lock --why expiry": `--why: "expiry" isn't a reason for which a lock is lost: choose one of expired, let-go`,
		"--why expired":                  "--why and --who choose handovers: add --hands",
	} {
		code, _, errs := printed(t, append([]string{"log", night(t)}, strings.Fields(args)...)...)
		if code != exitTrouble || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, it says %s", args, code, errs)
		}
	}
}

// TestLogHandsUsual checks what is usual at the end of the handovers.
func TestLogHandsUsual(t *testing.T) {
	var all []wire.Txn
	for i := range 12 {
		path := fmt.Sprintf("/l/lock-%010d", i)
		all = append(all, wire.Txn{Session: 7, Cxid: 1, Op: wire.OpCreate, Path: path, Ephemeral: true},
			wire.Txn{Session: 7, Cxid: 2, Op: wire.OpDelete, Path: path})
	}
	all = numbered(1, append([]wire.Txn{{Session: 7, Cxid: 1, Op: wire.OpCreate, Path: "/l"}}, all...)...)
	dir := crashed(t, map[string][]byte{"log.1": txnlogtest.Log(all...)})
	held := all[2].TimeMS - all[1].TimeMS
	code, out, errs := printed(t, "log", dir, "--hands", "/l")
	want := fmt.Sprintf("/l  usually held for about %.1f s (the middle 80 %% of 12)\n", float64(held)/1000)
	if code != exitOK || !strings.Contains(out, want) || errs != "" {
		t.Errorf("exit code %d, it prints\n%s%s\nwithout %s", code, out, errs, want)
	}
	code, out, _ = printed(t, "log", dir, "--hands", "/l", "--json")
	want = fmt.Sprintf(`"usual":{"held":{"low_ms":%d,"high_ms":%[1]d,"count":12},"waited":`, held)
	if code != exitOK || !strings.Contains(out, want) {
		t.Errorf("exit code %d, it prints\n%s\nwithout %s", code, out, want)
	}
}

// TestLocksUnusual checks that a hold that lasts far longer than usual is marked, in text and in JSON, and that the
// last hour is in the JSON of the lock that was asked for.
func TestLocksUnusual(t *testing.T) {
	r := follow.Report{Summary: locks.Summary{Rows: []locks.Row{shownLocks().Rows[0]}}}
	row := &r.Rows[0]
	row.Usual = holds.Usual{Held: holds.Range{N: 40, LowMS: 1000, HighMS: 2000}}
	var out bytes.Buffer
	err := printLocks(&out, r, through{}, 100_000)
	for _, want := range []string{"for 1 min 10 s (far longer than usual, which is 2.0 s at most)",
		"  usually held for 1.0 s to 2.0 s (the middle 80 % of 40)\n"} {
		if err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v: it prints\n%s\nwithout %q", err, &out, want)
		}
	}
	out.Reset()
	h := holds.History{SinceMS: 1000, FromMS: 2000, UntilMS: 9000, Of: 3, Ended: []holds.Hold{{Session: 0x1f, GotMS: 3000,
		LostMS: 4000, Znode: "/l/a"}}}
	o := h.Object(&holds.Filter{}, func(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) })
	err = encodeLocks(&out, listed{Report: r, hours: map[string]*holds.Object{row.Path: &o}}, 100_000)
	for _, want := range []string{`"unusual":true`, `"usual":{"held":{"low_ms":1000,"high_ms":2000,"count":40}}`,
		`"hour":{"since":"1970-01-01T00:00:01Z","until":"1970-01-01T00:00:09Z","count":3,` +
			`"complete_since":"1970-01-01T00:00:02Z","holds":[{"session":"0x1f","znode":"/l/a",` +
			`"got":"1970-01-01T00:00:03Z","lost":"1970-01-01T00:00:04Z","reason":"none","held_ms":1000}]}`} {
		if err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v: it prints\n%s\nwithout %s", err, &out, want)
		}
	}
	for _, args := range []string{"--why expired", "--who 10.0.0.1"} {
		code, _, errs := printed(t, append([]string{"locks", "/", "--zk", "127.0.0.1:1"}, strings.Fields(args)...)...)
		if code != exitTrouble || !strings.Contains(errs, "one look sees none: add --follow") {
			t.Errorf("%s: exit code %d, it says %s", args, code, errs)
		}
	}
}
