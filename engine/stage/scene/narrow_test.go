package scene_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
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
	crowd := ensemble(queued("predecessor-lock", 2), 5)
	for i := range crowd.Clients {
		crowd.Clients[i].Server = event.Server(4)
	}
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
		"a server's clients":   {crowd, []string{"A", "B"}, []string{"+2"}},
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

// reader returns a state in which a client, connected again, has what it read at that version of 2.
func reader(version int32) *view.State {
	s := grove(3, view.Node{Path: "price", Number: -1, Mode: zoo.Persistent, Data: "11", Bytes: 2, Version: 2})
	s.Header = headerOf("first-steps")
	c := &s.Clients[1]
	c.BackAt, c.Blocked, c.Belief.Phase = now-time.Second, false, program.Phase("")
	c.Learnt = view.Learnt{Op: event.Get, Path: root + "/price", There: true, Data: "10", Version: version}
	return s
}
