package web

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/alarm"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// TestExposition checks that each family is in one piece, with its meaning before it, and that others stay as they are.
func TestExposition(t *testing.T) {
	var out strings.Builder
	expose(&out, []byte("zkviz_refused_total{by=\"room\"} 1\nzkviz_rooms 2\n"+
		"zkviz_http_request_duration_seconds_bucket{route=\"/ a\",le=\"+Inf\"} 2\ngo_goroutines 9\n"+
		"zkviz_refused_total{by=\"guard\"} 3\nzkviz_http_request_duration_seconds_sum{route=\"/ a\"} 2\n"+
		"zkviz_http_request_duration_seconds_count{route=\"/ a\"} 2\n"))
	const want = `# HELP zkviz_rooms Runs and observations in memory.
# TYPE zkviz_rooms gauge
zkviz_rooms 2
# HELP zkviz_refused_total Refused requests, by what refused them.
# TYPE zkviz_refused_total counter
zkviz_refused_total{by="room"} 1
zkviz_refused_total{by="guard"} 3
# HELP zkviz_http_request_duration_seconds How long answers took, by route, in seconds.
# TYPE zkviz_http_request_duration_seconds histogram
zkviz_http_request_duration_seconds_bucket{route="/ a",le="+Inf"} 2
zkviz_http_request_duration_seconds_sum{route="/ a"} 2
zkviz_http_request_duration_seconds_count{route="/ a"} 2
go_goroutines 9
`
	if out.String() != want {
		t.Errorf("it writes\n%s\nnot\n%s", out.String(), want)
	}
}

// TestTally writes figures of a path whose name is hostile to the format, and leaves out what zkviz can't know.
func TestTally(t *testing.T) {
	tally := locks.Tally{Path: "/a\"\\\n", Troubles: map[locks.Kind]int{locks.Herd: 2, locks.Held: 1},
		Uses: map[naming.Use]locks.Figures{
			naming.Lock:    {Held: 2, Waiting: 3, HeldMS: 1500, WaitingMS: 2500, Turned: 4, Expired: 5},
			naming.Unknown: {}, naming.Queue: {}, naming.Members: {Expired: 6}, naming.Semaphore: {Held: 1},
		}}
	const of = `cluster="",path="/a\"\\\n"`
	var joined, read strings.Builder
	labels := label("cluster", "") + "," + label("path", tally.Path)
	writeTally(&joined, labels, &tally, alarm.State{Reasons: true, Silence: true})
	writeTally(&read, labels, &tally, alarm.State{})
	for _, c := range []struct {
		sample       string
		joined, read bool
	}{
		{`zkviz_locks_in_trouble{OF,kind="herd"} 2`, true, true}, {`zkviz_locks_in_trouble{OF,kind="held"} 1`, true, true},
		{`zkviz_locks_in_trouble{OF,kind="blind"} 0`, false, false},
		{`zkviz_locks_in_trouble{OF,kind="quiet"} 0`, true, false},
		{`zkviz_locks_in_trouble{OF,kind="members"} 0`, true, false},
		{`zkviz_locks_in_trouble{OF,kind="waits"} 0`, true, true},
		{`zkviz_locks_held{OF,use="lock"} 2`, true, true}, {`zkviz_locks_held{OF,use="unknown"} 0`, true, true},
		{`zkviz_locks_held{OF,use="permits"} 1`, true, true}, {`zkviz_locks_held{OF,use="members"} 0`, false, false},
		{`zkviz_locks_waiting{OF,use="lock"} 3`, true, true},
		{`zkviz_locks_longest_hold_seconds{OF,use="lock"} 1.5`, true, true},
		{`zkviz_locks_oldest_waiter_seconds{OF,use="lock"} 2.5`, true, true},
		{`zkviz_locks_handovers_total{OF,use="lock"} 4`, true, true},
		{`zkviz_locks_handovers_total{OF,use="permits"} 0`, false, false},
		{`zkviz_locks_expiries_total{OF,use="lock"} 5`, true, false},
		{`zkviz_locks_expiries_total{OF,use="members"} 6`, true, false},
		{`zkviz_locks_expiries_total{OF,use="queue"} 0`, false, false},
	} {
		line := strings.Replace(c.sample, "OF", of, 1) + "\n"
		if strings.Contains(joined.String(), line) != c.joined || strings.Contains(read.String(), line) != c.read {
			t.Errorf("of %s it writes, joined\n%s\nand reading\n%s", line, joined.String(), read.String())
		}
	}
}

// TestFamilies checks that each family's name follows the rules for its type.
func TestFamilies(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range families {
		if seen[f.name] || strings.HasSuffix(f.name, "_total") != (f.kind == "counter") || !strings.HasSuffix(f.help, ".") {
			t.Errorf("%+v", f)
		}
		seen[f.name] = true
	}
}
