package scene_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// TestNarrowKeepsWhatMatters checks which texts half a phone has, and which it leaves out, where not all have room.
func TestNarrowKeepsWhatMatters(t *testing.T) {
	tasks := stored(fifo(2, 4, 5), event.StoreTasks, "C for night-0 added", "C for night-1 done", "D for night-2 done",
		"E for night-3 done", "F for night-4 done")
	ledger := queued("unnoticed-expiry", 3)
	ledger.Stores = []view.Store{{Name: "ledger", Greatest: 8, Taken: 3, Refused: 1}}
	for i, w := range []view.Write{{Client: 1, Text: "client-1 begins", Fence: 6},
		{Client: 2, Text: "client-2 begins", Fence: 8}, {Client: 1, Text: "client-1 ends", Fence: 6, Refused: true},
		{Client: 2, Text: "client-2 ends", Fence: 8}} {
		w.At = time.Duration(i+1) * time.Second
		ledger.Stores[0].Writes[view.KeptWrites-4+i] = w
	}
	short := queued("unnoticed-expiry", 3)
	short.Stores = []view.Store{{Name: "ledger", Greatest: 6, Taken: 1}}
	short.Stores[0].Writes[view.KeptWrites-1] = view.Write{Client: 1, Text: "client-1 begins", Fence: 6, At: time.Second}
	six := fifo(3, 3, 2)
	six.Flights.List = []view.Flight{{Seq: six.Seq, To: 4, Op: event.Delete, Reply: true, Code: int32(zoo.ErrNoNode),
		Sent: now - 200*time.Millisecond, Takes: 400 * time.Millisecond}}
	for name, c := range map[string]struct {
		state       *view.State
		have, lacks []string
	}{
		"an open task": {tasks, []string{"for night-0 · open"}, []string{"for night-1"}},
		"one more line": {ledger, []string{"+1", "begins · 8", "ends · 6 · refused"},
			[]string{"2 earlier …", "begins · 6"}},
		"the greatest number":  {short, []string{"begins · 6", "greatest 6"}, nil},
		"a refusal's word":     {six, []string{"no node"}, nil},
		"an old value":         {reader(1), []string{"back · has 10 · old"}, []string{"connected again"}},
		"a value that's fresh": {reader(2), []string{"back · has 10"}, nil},
	} {
		said := drawnIn(c.state, half.width, half.height)
		for _, s := range c.have {
			if !slices.Contains(said, s) {
				t.Errorf("%s: %q isn't among %q", name, s, said)
			}
		}
		for _, s := range c.lacks {
			if slices.Contains(said, s) {
				t.Errorf("%s: %q is among %q", name, s, said)
			}
		}
	}
}

// TestNarrowNamesAServersClients checks that two clients of a server stand there with their letters, not as a number.
func TestNarrowNamesAServersClients(t *testing.T) {
	s := ensemble(queued("predecessor-lock", 2), 5)
	drawn := func(server event.Actor) map[string]int {
		for i := range s.Clients {
			s.Clients[i].Server = server
		}
		count := map[string]int{}
		for _, text := range drawnIn(s, 191, 312) {
			count[text]++
		}
		return count
	}
	with, without := drawn(event.Server(5)), drawn(0)
	for text, more := range map[string]int{"A": 1, "B": 1, "+2": 0} {
		if with[text] != without[text]+more {
			t.Errorf("%q is there %d times; %d without the clients", text, with[text], without[text])
		}
	}
}

// TestNarrowCountsAServersClients checks that the number of clients without a place at their server isn't written like
// the number of transactions before a log: it stands in a ring.
func TestNarrowCountsAServersClients(t *testing.T) {
	s := ensemble(queued("predecessor-lock", 12), 5)
	for i := range s.Clients {
		s.Clients[i].Server = event.Server(5)
	}
	if said := drawnIn(s, 191, 312); !slices.Contains(said, "11") || slices.Contains(said, "+11") {
		t.Errorf("the clients aren't counted among %q", said)
	}
}

// TestNarrowMarksAPausedServer checks that a server without room for the word has the sign of what is paused, and that
// a client still has room.
func TestNarrowMarksAPausedServer(t *testing.T) {
	for _, paused := range []bool{false, true} {
		s := ensemble(queued("predecessor-lock", 2), 5)
		s.Ensemble.Servers[0].Paused = paused
		s.Clients[0].Server, s.Clients[1].Server = event.Server(1), 0
		var f scene.Frame
		o := scene.Options{Words: english, Width: 191, Height: 312, Theme: display.Light()}
		f.Draw(s, now, o)
		row, _ := f.Find("server-1")
		has := func(fill display.Colour) bool {
			return slices.ContainsFunc(f.Ops, func(op display.Op) bool {
				return op.Kind == display.Circle && op.Fill == fill && op.Y > row.Y && op.Y < row.Y+row.H
			})
		}
		if marked := has(o.Theme.Ink); marked != paused || !has(o.Theme.Of(0)) {
			t.Errorf("paused: %v; with its sign: %v; with A: %v", paused, marked, has(o.Theme.Of(0)))
		}
	}
}

// reader returns a state in which a client, connected again, has what it read at that version of 2.
func reader(version int32) *view.State {
	s := grove(3, view.Node{Path: "price", Number: -1, Mode: zoo.Persistent, Data: "11", Bytes: 2, Version: 2})
	s.Header = headerOf("first-steps")
	c := &s.Clients[1]
	c.BackAt, c.Blocked, c.Belief.Phase = now-time.Second, false, program.Phase("")
	c.Learnt = view.Learnt{Op: event.Get, Path: root + "/price", There: true, Data: "10", Version: version}
	return s
}

// TestNarrowRowsKeepData checks that on half a phone data stays whole: the names of znodes give way to it, and so do
// the lanes for watches if there are none. Sequential znodes have a row each, and a client's word leaves its number.
func TestNarrowRowsKeepData(t *testing.T) {
	s := tree(4)
	s.Watches.List, s.Tree.Nodes, s.Header.Drawing.Shows = nil, nil, event.ShowReads
	add(s, view.Node{Path: "/app", Number: -1})
	for i, data := range []string{"price 10", "price 20", "price 30"} {
		add(s, view.Node{Path: fmt.Sprintf("/app/message-%010d", i), Number: int64(i), Data: data, Bytes: 8})
	}
	add(s, view.Node{Path: "/app/vote-client-2", Number: -1, Data: "addresses of A, B", Bytes: 17})
	add(s, view.Node{Path: "/app/how-many", Number: -1, Data: "4", Bytes: 1, Version: 4})
	for i := range s.Clients {
		s.Clients[i].Belief = view.Belief{Phase: program.Saw, Path: "/app", Fence: int64(i)}
		s.Clients[i].Value = view.Learnt{Op: event.Get, Path: "/app", There: true, Data: "price 10"}
	}
	s.Clients[0].Blocked, s.Clients[0].Belief.Phase, s.Clients[0].Belief.Fence = false, program.Published, 3
	said := drawnIn(s, 191, 312)
	for _, want := range []string{"price 20", "price 30", "addresses of A, B", "persistent · v4", "v3"} {
		if !slices.Contains(said, want) {
			t.Errorf("%q isn't among %q", want, said)
		}
	}
	if said := strings.Join(said, " "); strings.Count(said, "price 10") != 1+len(s.Clients) {
		t.Errorf("not every client has its price in %q", said)
	}
	if slices.Contains(said, "2") {
		t.Errorf("how many values are unread is a mere number among %q", said)
	}
}
