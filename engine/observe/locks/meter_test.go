package locks_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// TestMeter adds up reports for two paths. Counts never decrease, whatever goes or begins again.
func TestMeter(t *testing.T) {
	held := func(path string, use naming.Use, gotMS int64, waiting int, longestMS, turned, expired int64) locks.Row {
		r := locks.Row{Path: path, Use: use, Inside: 1, Waiting: waiting, LongestMS: longestMS, Turned: turned,
			Expiries: expired}
		r.Holding = []locks.Holder{{Hand: handover.Hand{GotMS: gotMS}}}
		return r
	}
	troubled := held("/app/l", naming.Lock, 900, 2, 70, 9, 1)
	troubled.Alerts = []locks.Alert{{Sentence: sentence.Of("trouble.quiet")}, {Sentence: sentence.Of("trouble.quiet")}}
	free := locks.Row{Path: "/app/free", Use: naming.Lock, Waiting: 0, LongestMS: 80, Turned: 3}
	type uses = map[naming.Use]locks.Figures
	m := locks.NewMeter("/", "/app")
	for i, c := range []struct {
		s         locks.Summary
		all, app  uses
		inTrouble int
	}{
		{locks.Summary{FromMS: 1, Rows: []locks.Row{troubled, free, held("/application", naming.Election, 400, 1, 90, 2, 0),
			{Path: "/q", Use: naming.Queue, Items: 3, Turned: 5}, held("/g", naming.Members, 0, 0, 0, 4, 7)}},
			uses{naming.Lock: {Held: 1, Waiting: 2, HeldMS: 100, WaitingMS: 70, Turned: 12, Expired: 1},
				naming.Election: {Held: 1, Waiting: 1, HeldMS: 600, WaitingMS: 90, Turned: 2},
				naming.Queue:    {}, naming.Members: {Expired: 7}},
			uses{naming.Lock: {Held: 1, Waiting: 2, HeldMS: 100, WaitingMS: 70, Turned: 12, Expired: 1}}, 1},
		{locks.Summary{FromMS: 1, Rows: []locks.Row{held("/app/l", naming.Lock, 950, 0, 0, 11, 1)}},
			uses{naming.Lock: {Held: 1, HeldMS: 50, Turned: 14, Expired: 1}, naming.Election: {Turned: 2}, naming.Queue: {},
				naming.Members: {Expired: 7}},
			uses{naming.Lock: {Held: 1, HeldMS: 50, Turned: 14, Expired: 1}}, 0},
		{locks.Summary{FromMS: 1, Rows: []locks.Row{held("/app/l", naming.Lock, 950, 0, 0, 10, 1), free}},
			uses{naming.Lock: {Held: 1, HeldMS: 50, Turned: 14, Expired: 1}, naming.Election: {Turned: 2}, naming.Queue: {},
				naming.Members: {Expired: 7}},
			uses{naming.Lock: {Held: 1, HeldMS: 50, Turned: 14, Expired: 1}}, 0},
		{locks.Summary{FromMS: 2, Rows: []locks.Row{held("/app/l", naming.Lock, 950, 0, 0, 1, 0)}},
			uses{naming.Lock: {Held: 1, HeldMS: 50, Turned: 15, Expired: 1}, naming.Election: {Turned: 2}, naming.Queue: {},
				naming.Members: {Expired: 7}},
			uses{naming.Lock: {Held: 1, HeldMS: 50, Turned: 15, Expired: 1}}, 0},
	} {
		got := m.Update(c.s, 1000)
		if !maps.Equal(got[0].Uses, c.all) || !maps.Equal(got[1].Uses, c.app) ||
			got[0].Troubles[locks.Quiet] != c.inTrouble || got[1].Troubles[locks.Quiet] != c.inTrouble {
			t.Errorf("%d: %+v\nnot %v\nand %v", i, got, c.all, c.app)
		}
	}
}

// TestExpiries counts losses by expiry, of locks and of members with meaningless names, but not of clients that left.
func TestExpiries(t *testing.T) {
	in := newIncident(t)
	for _, line := range []string{
		"1s create 1 /l/lock-0000000001", "1s create 2 /l/lock-0000000002", "1s create 3 /l/lock-0000000003",
		"2s create 4 /g/anna", "2s create 5 /g/ben", "2s create 6 /g/cleo", "2s create 7 /g/dan",
		"3s expire 1", "4s close 2", "5s expire 4", "6s close 5",
	} {
		in.do(line)
	}
	for _, r := range in.locks.Summary(began+7000, "/", locks.Known{}).Rows {
		if r.Expiries != 1 {
			t.Errorf("%s: %d expiries", r.Path, r.Expiries)
		}
	}
}

// TestMeterForgets checks that the counts of locks that are gone are dropped once there are too many.
func TestMeterForgets(t *testing.T) {
	m := locks.NewMeter("/")
	update := func(prefix string, n int) int64 {
		s := locks.Summary{Rows: make([]locks.Row, n)}
		for i := range s.Rows {
			s.Rows[i] = locks.Row{Path: fmt.Sprint(prefix, i), Use: naming.Lock, Turned: 1}
		}
		return m.Update(s, 0)[0].Uses[naming.Lock].Turned
	}
	const most = locks.MaxThings
	for i, want := range []int64{1, 1, 1 + most, 1 + most, 1 + 2*most, 2 + 2*most} {
		n := [...]int{1, 1, most, 1, most, 1}[i]
		if got := update([...]string{"/a", "/a", "/b", "/a", "/c", "/a"}[i], n); got != want {
			t.Errorf("%d: %d hand-overs, not %d", i, got, want)
		}
	}
}
