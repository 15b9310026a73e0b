package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// TestTail follows the end of a server's log through what happens to it.
func TestTail(t *testing.T) {
	const first, second = 1 << 32, 2 << 32
	logged := func(zxids ...int64) (all []event.Event) {
		for _, z := range zxids {
			all = append(all, event.Event{Kind: event.TxnLogged, Zxid: z})
		}
		return all
	}
	for _, c := range []struct {
		name   string
		events []event.Event
		want   string
	}{
		{"nothing", nil, "0"},
		{"two epochs", logged(first|1, first|2, second|1), "0 1.1 1.2 2.1"},
		{"the last ones", logged(first|1, first|2, first|3, first|4, first|5, first|6, first|7, first|8, first|9, first|10,
			first|11, first|12, first|13), "0 1.2 1.3 1.4 1.5 1.6 1.7 1.8 1.9 1.10 1.11 1.12 1.13"},
		{"cut off", append(logged(first|1, first|2, first|3),
			event.Event{Kind: event.LogTruncated, Zxid: first | 1}), "0 1.1"},
		{"a copy", append(append(logged(first|1, first|2), event.Event{Kind: event.SnapshotLoaded, Zxid: second | 3}),
			logged(second|4)...), "2.3 2.4"},
		{"no power", append(append(logged(first|1), event.Event{Kind: event.LogSynced, Zxid: first | 1}), append(
			logged(first|2), event.Event{Kind: event.ServerStopped, Reason: event.ServerPowerLost})...), "0 1.1"},
		{"a crash", append(append(logged(first|1), event.Event{Kind: event.LogSynced, Zxid: first | 1}), append(
			logged(first|2), event.Event{Kind: event.ServerStopped, Reason: event.ServerCrashed},
			event.Event{Kind: event.ServerStarted})...), "0 1.1 1.2"},
	} {
		s := view.New()
		for i, e := range c.events {
			e.Seq, e.Actor = event.Seq(i+1), event.Server(1)
			s.Apply(e)
		}
		var tail view.Tail
		if len(s.Ensemble.Servers) > 0 {
			tail = s.Ensemble.Servers[0].Tail
		}
		if got := tailOf(&tail); got != c.want {
			t.Errorf("%s: it is %s, not %s", c.name, got, c.want)
		}
	}
}

func tailOf(t *view.Tail) string {
	short := func(z int64) string {
		if z>>32 == 0 {
			return fmt.Sprint(z)
		}
		return fmt.Sprintf("%d.%d", z>>32, uint32(z))
	}
	all := []string{short(t.Base)}
	for i := range t.Len() {
		all = append(all, short(t.At(i)))
	}
	return strings.Join(all, " ")
}

// TestInDoubt checks that a logged transaction is in doubt until it is committed, or until a server that has it
// leads. What the log loses is remembered.
func TestInDoubt(t *testing.T) {
	const first, second = 1 << 32, 2 << 32
	s := view.New()
	for i, e := range []event.Event{
		{Actor: event.Server(1), Kind: event.TxnLogged, Zxid: first | 1},
		{Actor: event.Server(1), Kind: event.TxnLogged, Zxid: first | 2},
		{Actor: event.Server(1), Kind: event.TxnCommitted, Zxid: first | 1},
		{Actor: event.Server(1), Kind: event.TxnLogged, Zxid: first | 3},
		{Actor: event.Server(2), Kind: event.TxnLogged, Zxid: first | 1},
		{Actor: event.Server(2), Kind: event.TxnLogged, Zxid: first | 2},
		{Actor: event.Server(2), Kind: event.LeaderActivated, Code: 2},
		{Actor: event.Server(2), Kind: event.TxnDelivered, Zxid: second | 1},
	} {
		e.Seq = event.Seq(i + 1)
		if e.Kind == event.LeaderActivated && !s.Ensemble.InDoubt(first|2) {
			t.Error("1.2 is not in doubt before a server leads that has it")
		}
		s.Apply(e)
	}
	for z, want := range map[int64]bool{first | 1: false, first | 2: false, first | 3: true, second | 1: false} {
		if s.Ensemble.InDoubt(z) != want {
			t.Errorf("%#x in doubt: %v, not %v", z, !want, want)
		}
	}
	s.Apply(event.Event{Seq: 9, At: 7, Actor: event.Server(1), Kind: event.LogTruncated, Zxid: first | 2})
	if gone := s.Ensemble.Servers[0].Gone; tailOf(&gone) != "0 1.3" || s.Ensemble.Servers[0].GoneAt != 7 {
		t.Errorf("what is gone is %s at %d, not 1.3 at 7", tailOf(&gone), s.Ensemble.Servers[0].GoneAt)
	}
}

// TestLostStaysInDoubt checks that what was never committed isn't taken for committed, however much is committed after
// it, and that a copy of the State keeps that to itself.
func TestLostStaysInDoubt(t *testing.T) {
	const first, second, third = 1 << 32, 2 << 32, 3 << 32
	s := view.New()
	events := []event.Event{
		{Actor: event.Server(1), Kind: event.TxnLogged, Zxid: first | 1},
		{Actor: event.Server(1), Kind: event.TxnLogged, Zxid: first | 2},
		{Actor: event.Server(2), Kind: event.TxnLogged, Zxid: first | 1},
		{Actor: event.Server(1), Kind: event.ServerStopped, Reason: event.ServerCrashed},
		{Actor: event.Server(2), Kind: event.LeaderActivated, Code: 2},
	}
	for n := range int64(40) {
		events = append(events, event.Event{Actor: event.Server(2), Kind: event.TxnCommitted, Zxid: second | n})
	}
	for i, e := range events {
		e.Seq = event.Seq(i + 1)
		s.Apply(e)
	}
	c := s.Clone()
	c.Apply(event.Event{Seq: s.Seq + 1, Actor: event.Server(2), Kind: event.TxnCommitted, Zxid: second | 999})
	for z, want := range map[int64]bool{first | 1: false, first | 2: true, second | 1: false, second | 999: true,
		third | 1: true} {
		if s.Ensemble.InDoubt(z) != want {
			t.Errorf("%#x in doubt: %v, not %v", z, !want, want)
		}
	}
}

// TestEpochsHaveALimit checks that the fold forgets the oldest epochs first, and none that came after.
func TestEpochsHaveALimit(t *testing.T) {
	const epochs = 1000
	s := view.New()
	for n := range int64(epochs) {
		s.Apply(event.Event{Seq: event.Seq(n + 1), Actor: event.Server(1), Kind: event.TxnCommitted, Zxid: (n+1)<<32 | 2})
	}
	if n := len(s.Ensemble.Committed); n == 0 || n >= epochs {
		t.Fatalf("%d epochs are kept", n)
	}
	for n := range int64(len(s.Ensemble.Committed)) {
		if z := (epochs-n)<<32 | 2; s.Ensemble.InDoubt(z) || !s.Ensemble.InDoubt(z+1) {
			t.Errorf("in epoch %d, the second transaction isn't the last that is committed", epochs-n)
		}
	}
	if !s.Ensemble.InDoubt(1<<32 | 1) {
		t.Error("what a forgotten epoch committed is said to be known")
	}
}

// TestBefore checks how many transactions a log has before one of them, in all epochs, and that nobody claims to know
// if the events begin after the first epoch.
func TestBefore(t *testing.T) {
	const first, second, third = 1 << 32, 2 << 32, 3 << 32
	for _, c := range []struct {
		committed []int64
		logged, z int64
		want      int
	}{
		{nil, first | 3, first | 1, 0},
		{nil, first | 3, first | 3, 2},
		{[]int64{first | 4, second | 2}, second | 5, second | 1, 4},
		{[]int64{first | 4, second | 2}, second | 5, second | 4, 7},
		{[]int64{first | 4, second | 2}, first | 9, second | 1, 9}, // with five that are lost
		{[]int64{first | 4, second | 2}, third | 1, first | 6, 4},
		{[]int64{first | 4, second | 2}, third | 1, third | 1, 6},
		{[]int64{second | 4}, third | 1, third | 1, -1},
	} {
		m := view.Ensemble{Committed: c.committed}
		if got := m.Before(&view.Server{Logged: c.logged}, c.z); got != c.want {
			t.Errorf("%#x committed, a log up to %#x: %d before %#x, not %d", c.committed, c.logged, got, c.z, c.want)
		}
	}
}

// TestAppliedOutOfOrder checks what a server has applied that logged an old transaction after a new one, or not at all.
func TestAppliedOutOfOrder(t *testing.T) {
	const first, second = 1 << 32, 2 << 32
	s := view.New()
	for i, e := range []event.Event{
		{Kind: event.TxnLogged, Zxid: first | 1}, {Kind: event.TxnLogged, Zxid: second | 1},
		{Kind: event.TxnDelivered, Zxid: second | 1}, {Kind: event.TxnLogged, Zxid: first | 2},
	} {
		e.Seq, e.Actor = event.Seq(i+1), event.Server(1)
		s.Apply(e)
	}
	server := &s.Ensemble.Servers[0]
	for z, want := range map[int64]bool{first: true, first | 1: true, first | 2: false, first | 3: false, second | 1: true,
		second | 2: false} {
		if got := server.Applied(z); got != want {
			t.Errorf("%#x is applied: %v", z, got)
		}
	}
	if server.Logged != second|1 {
		t.Errorf("its log goes to %#x", server.Logged)
	}
}
