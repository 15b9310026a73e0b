package panes_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/panes"
)

// TestInspectTheJoined checks what is known in a joined ensemble: which session created what and how it ended, but not
// when it was last heard, whether it is connected, or what it requests.
func TestInspectTheJoined(t *testing.T) {
	f := view.NewHistoryFor(event.Header{Host: event.Joined, Root: "/lock"})
	f.AppendAll([]event.Event{
		{Seq: 1, Kind: event.RunStarted, Path: "/lock", N: 1_700_000_000_000},
		{Seq: 2, Kind: event.ClientStarted, Actor: 1},
		{Seq: 3, Kind: event.SessionCreated, Peer: 1, Session: 0x10, N: int64(10 * time.Second)},
		{Seq: 4, At: time.Second, Kind: event.ZnodeCreated, Peer: 1, Session: 0x10, Mode: uint8(zoo.EphemeralSequential),
			Path: "/lock/n-0000000001", Zxid: 7},
		{Seq: 5, At: 3 * time.Second, Kind: event.SessionExpired, Peer: 1, Session: 0x10, Zxid: 8},
	})
	for seq, want := range map[event.Seq]string{4: "session: 0x10, timeout 10 s", 5: "session: 0x10, expired at 3.0 s"} {
		s := f.StateAtSeq(seq)
		if got := factLines(panes.Inspect(s, s.At, "client-1", "", say(t))); !slices.Contains(got, want) {
			t.Errorf("after %d it says %q, not %q", seq, got, want)
		}
	}
	row := panes.NewRow(f, panes.Mark{First: 4, Last: 4}, say(t))
	if row.Wall != "22:13:21.000" || row.Date != "2023-11-14 22:13:21.000 UTC" {
		t.Errorf("on the wall it is %s, %s", row.Wall, row.Date)
	}
}
