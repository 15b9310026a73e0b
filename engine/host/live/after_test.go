package live_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// restart runs a program that crashes and starts again while its previous session may live on. A third client, which
// would start after one that never ends, must not keep the stuck run going.
func restart(t *testing.T, srv *zktest.Server) {
	var owner, own int64 // the owner of the znode that the second client finds, and that client's own session
	r := undisturbed(t, func() *recorder {
		owner, own = 0, 0
		return startAgain(t, srv, &owner, &own)
	})
	crashed := r.find(t, "the crash", is(event.ClientCrashed))
	again := r.find(t, "it starts again", func(e event.Event) bool {
		return e.Kind == event.ClientStarted &&
			e.Actor == 2
	})
	if again.Seq < crashed.Seq || own == 0 || owner == own {
		t.Errorf("it crashed with event %d and started again with %d, in session %#x; its znode is of %#x", crashed.Seq,
			again.Seq, own, owner)
	}
	if n := r.count(func(e event.Event) bool { return e.Actor == 3 }); n > 0 {
		t.Errorf("client-3 did %d things before client-2 was gone", n)
	}
	if end := r.find(t, "the end", is(event.RunEnded)); end.Reason != event.EndStuck {
		t.Errorf("it ended because %v", end.Reason)
	}
}

func startAgain(t *testing.T, srv *zktest.Server, owner, own *int64) *recorder {
	cfg, list := byHand(8*time.Second,
		func(c zoo.Client, root string) error {
			if _, err := c.Create(root+"/mine", nil, zoo.Ephemeral); err != nil {
				return err
			}
			c.Note("made")
			return c.Work(time.Minute)
		},
		func(c zoo.Client, root string) error {
			_, stat, err := c.Exists(root + "/mine")
			*owner, *own = stat.EphemeralOwner, c.SessionID()
			if err != nil {
				return err
			}
			_, _, w, err := c.ExistsW(root + "/nothing")
			if err == nil {
				_, err = c.Await(0, w)
			}
			return err
		},
		func(zoo.Client, string) error { return nil })
	list[1].After, list[2].After = 1, 2
	inject := make(chan fault.Fault, 1)
	r := &recorder{on: func(e event.Event) {
		if e.Kind == event.RecipeNote {
			inject <- fault.Fault{Kind: fault.Crash, Client: 1}
			close(inject)
		}
	}}
	if err := runLive(t, srv, cfg, list, r, inject); err != nil {
		t.Fatal(err)
	}
	return r
}
