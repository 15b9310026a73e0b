package eventtext_test

import (
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		e    event.Event
		want string
	}{
		{
			event.Event{Seq: 214, At: 5002100 * time.Microsecond, Actor: 1, Kind: event.OpSent, Op: event.Delete,
				Path: "/zkviz/lock", N: int64(time.Millisecond), Line: 27, Cause: 210},
			"   214    5.002100s client-1   op.sent         delete /zkviz/lock, flight 1ms, line 27, because of 210",
		}, {
			event.Event{Seq: 215, Kind: event.WatchFired, Peer: 2, Path: "/x", Watch: event.ChildWatch, Type: 4},
			"   215    0.000000s zookeeper  watch.fired     /x, child watch, children, client-2",
		}, {
			event.Event{Seq: 1, Kind: event.ZnodeCreated, Path: "/a\x1b[2J", Text: "two\nlines", Session: 0x1f, Mode: 3, N: 9},
			`     1    0.000000s zookeeper  znode.created   "/a\x1b[2J", ephemeral-sequential, "two\nlines", 9 bytes, session 0x1f`,
		},
	} {
		if got := eventtext.Of(c.e); got != c.want {
			t.Errorf("\ngot  %s\nwant %s", got, c.want)
		}
	}
}

// TestColumns checks the columns of the text form. A field that is too wide is followed by one space.
func TestColumns(t *testing.T) {
	for _, c := range []struct {
		e    event.Event
		want string
	}{
		{event.Event{Seq: 1, Kind: event.RunStarted},
			"     1    0.000000s zookeeper  run.started"},
		{event.Event{Seq: 999999, At: 999*time.Second + 999999999, Actor: 99, Kind: event.OpDone, Op: event.Create,
			Path: "/a"},
			"999999  999.999999s client-99  op.done         create /a"},
		{event.Event{Seq: 1000000, At: 36 * time.Hour, Actor: 9999, Kind: event.Reconnected, Path: "/a"},
			"1000000 129600.000000s client-9999 observer.reconnected /a"},
		{event.Event{Seq: 12345678, At: 999 * time.Second, Actor: 10000, Kind: event.Disconnected, Text: "x y"},
			"12345678  999.000000s client-10000 observer.disconnected x y"},
		{event.Event{At: -1500 * time.Microsecond, Kind: event.ClientStarted, Actor: 1},
			"     0   -0.001500s client-1   client.started"},
		{event.Event{Seq: 2, Kind: event.RecipeNote, Text: "ends in spaces  "},
			"     2    0.000000s zookeeper  recipe.note     ends in spaces"},
	} {
		if got := eventtext.Of(c.e); got != c.want {
			t.Errorf("\ngot  %q\nwant %q", got, c.want)
		}
	}
}

// TestBodies checks the words for each field.
func TestBodies(t *testing.T) {
	for _, c := range []struct {
		e    event.Event
		want string
	}{
		{event.Event{Op: event.Get}, "get"},
		{event.Event{Watch: event.DataWatch}, "data watch"},
		{event.Event{Type: 1}, "created"},
		{event.Event{Type: 5}, "5"},
		{event.Event{Mode: 1}, "ephemeral"},
		{event.Event{Mode: 7}, "7"},
		{event.Event{Peer: 3}, "client-3"},
		{event.Event{Code: -101}, "code -101"},
		{event.Event{Zxid: 255}, "zxid 0xff"},
		{event.Event{Session: -2}, "session 0xfffffffffffffffe"},
		{event.Event{Line: 9}, "line 9"},
		{event.Event{Cause: 8}, "because of 8"},
		{event.Event{N: -7}, "n -7"},
		{event.Event{Op: event.Set, Path: "/a", Type: 3, Text: "why"}, "set /a, changed, why"},
		{event.Event{Path: `a "b"`}, `"a \"b\""`},
		{event.Event{Path: "a\xff"}, `"a\xff"`},
		{event.Event{Path: "é 好"}, "é 好"},
		{event.Event{Path: "a\u2028"}, `"a\u2028"`},
		{event.Event{Kind: event.OpSent, N: 1500}, "flight 1.5µs"},
		{event.Event{Kind: event.WatchFired, N: 1500}, "flight 1.5µs"},
		{event.Event{Kind: event.MsgSent, N: 1500}, "flight 1.5µs"},
		{event.Event{Kind: event.ClientPaused, N: 2e9}, "for 2s"},
		{event.Event{Kind: event.ClientBlocked, N: 2e9}, "timeout 2s"},
		{event.Event{Kind: event.ConnOpened, N: 2e9}, "timeout 2s"},
		{event.Event{Kind: event.SessionCreated, N: 2e9}, "timeout 2s"},
		{event.Event{Kind: event.RecipePhase, N: 12}, "fence 12"},
		{event.Event{Kind: event.ZnodeCreated, N: 12}, "12 bytes"},
		{event.Event{Kind: event.ZnodeChanged, N: 12}, "12 bytes"},
		{event.Event{Kind: event.ZnodeFound, N: 1_700_000_000_123}, "made 2023-11-14T22:13:20.123Z"},
		{event.Event{Kind: event.StoreWritten, N: 12}, "n 12"},
	} {
		if c.e.Kind == 0 {
			c.e.Kind = event.RecipeNote
		}
		line := eventtext.Of(c.e)
		if got := strings.TrimSpace(line[47:]); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.e, got, c.want)
		}
	}
}
