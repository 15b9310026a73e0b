package ensemble

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// notes is a log of notes as text.
type notes struct{ strings.Builder }

func (n *notes) Append(e event.Event) {
	if e.Kind == event.RecipeNote {
		fmt.Fprintf(n, "%s %q %d; ", e.Reason, e.Text, e.N)
	}
}

// TestMerged merges changes into a log: those from before it are left out, and while nothing can be added to it, they
// are held, except that the quorum is lost.
func TestMerged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const epoch = 1 << 32
		status := func(mode string, zxid int64) admin.Status { return answer("", mode, zxid).Status }
		looks := admin.Status{Role: admin.Looks}
		one := &answering{states: []admin.Status{status(admin.Leader, epoch), status(admin.Leader, 2*epoch),
			status(admin.Leader, 2*epoch), looks, status(admin.Leader, 3*epoch), looks, status(admin.Leader, 4*epoch)}}
		p := New(nil, access.Dialer{}, 0)
		p.servers = []server{{addr: zk1, by: one}}
		for range 2 {
			if _, err := p.Next(t.Context(), p.Latest().Number); err != nil {
				t.Fatal(err)
			}
		}
		var log notes
		ctx, stop := context.WithCancel(t.Context())
		over := make(chan error)
		adds := make(chan event.Event)
		merged := p.Merged(func(ctx context.Context, sink event.Sink, begun func(sessions.Say)) error {
			begun(func(session int64, e event.Event) { sink.Append(e) })
			for {
				select {
				case e := <-adds:
					sink.Append(e)
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		})
		go func() { over <- merged(ctx, &log, nil) }()
		at := func(round int, what string) {
			t.Helper()
			for p.Latest().Number < round {
				time.Sleep(askEvery / 10)
			}
			synctest.Wait()
			if log.String() != what {
				t.Errorf("after round %d the log has\n%s\nnot\n%s", round, log.String(), what)
			}
			log.Reset()
		}
		at(3, "")
		at(4, `quorum-lost "" 0; `)
		at(5, `quorum-back "" 4000000000; leader-now "zk1 zk1" 3; `)
		adds <- event.Event{Kind: event.Disconnected}
		at(6, "")
		at(7, "")
		adds <- event.Event{Kind: event.Reconnected}
		at(8, `quorum-back "" 4000000000; leader-now "zk1 zk1" 4; `)
		stop()
		if err := <-over; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		asked := one.asked.Load()
		time.Sleep(time.Hour)
		if one.asked.Load() != asked {
			t.Error("it asks though nobody looks on")
		}
	})
}
