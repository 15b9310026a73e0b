package web_test

import (
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// TestThirtyPhones has thirty learners take a lock at once on the ZooKeeper inside. One holds it. When it lets go, a
// herd is woken whole, and of a queue only the next.
func TestThirtyPhones(t *testing.T) {
	for way, woken := range map[string]int{"herd": 29, "queue": 1} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			inside, err := embed.Listen(embed.Config{Tick: 20 * time.Second}) // sessions last 40 s at least
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = inside.Close() })
			s := webtest.NewServer(t, web.Config{Zoo: inside})
			srv := httptest.NewServer(s)
			defer srv.Close()
			zoo := newZooLog(t, srv)
			name, secret := webtest.BeginClass(t, srv, "/zoo")
			teacher := webtest.Enter(t, srv, name, fmt.Sprintf(`{"do":"hello","secret":%q}`, secret))
			teacher.Send(fmt.Sprintf(`{"do":"clients","lock":{"path":"/zkviz/queue","way":%q}}`, way))
			pupils := make([]*webtest.Pupil, 30)
			for i := range pupils {
				join := fmt.Sprintf(`{"do":"join","key":"the key of learner %2d","name":"Learner %[1]d"}`, i)
				pupils[i] = webtest.Enter(t, srv, name, join)
			}
			holder := zoo.hold(pupils)
			zoo.until("29 watches", func() bool { return zoo.last == event.WatchSet && len(zoo.armed) == 29 })
			zoo.fired = 0
			holder.Send(`{"do":"release"}`)
			zoo.until("the next holder", func() bool { return zoo.holds == 2 })
			if zoo.fired != woken {
				t.Errorf("a release wakes %d, want %d", zoo.fired, woken)
			}
			teacher.Send(`{"do":"end"}`)
			zoo.until("an empty queue", func() bool { return zoo.gone == 30 })
			s.Close() // waits for all
		})
	}
}

// zooLog follows the log of the Zoo.
type zooLog struct {
	t    *testing.T
	page *webtest.Client
	seen int

	made, gone   int // znodes of the queue
	holds, fired int
	holder       event.Actor          // or the one before, until the next one holds
	armed        map[event.Actor]bool // other clients with a watch
	last         event.Kind
}

func newZooLog(t *testing.T, srv *httptest.Server) *zooLog {
	z := &zooLog{t: t, page: webtest.Dial(t, srv), armed: map[event.Actor]bool{}}
	z.page.Send(openZoo)
	z.page.Until(webtest.OfKind("run"))
	return z
}

// until reads the log until something is so.
func (z *zooLog) until(what string, so func() bool) {
	z.t.Helper()
	for !so() {
		for z.seen >= len(z.page.Logs[0]) {
			z.page.Next() // its context ends in time
		}
		e := z.page.Logs[0][z.seen]
		z.seen++
		z.last = e.Kind
		switch {
		case e.Kind == event.ZnodeCreated && e.Session != 0:
			z.made++
		case e.Kind == event.ZnodeDeleted:
			z.gone++
		case e.Kind == event.RecipePhase && program.Phase(e.Text) == program.Holding:
			z.holds++
			z.holder = e.Actor
			delete(z.armed, e.Actor)
		case e.Kind == event.WatchSet:
			z.armed[e.Peer] = true
		case e.Kind == event.WatchFired && e.Peer != z.holder: // who holds has no use for the watch that it has left
			z.fired++
			delete(z.armed, e.Peer)
		}
	}
}

// hold has all take the lock at once, and returns the one that gets it when all others wait.
func (z *zooLog) hold(pupils []*webtest.Pupil) (holder *webtest.Pupil) {
	z.t.Helper()
	for _, p := range pupils {
		p.Until(func(v webtest.View) bool { return v.Say == "client" && v.Is == "none" })
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, p := range pupils {
		all.Go(func() {
			p.Send(`{"do":"take"}`)
			v := p.Until(func(v webtest.View) bool { return v.Is == "waits" || v.Is == "holds" || v.Say == "error" })
			if v.Is == "waits" && (v.Name == "" || v.Before == 0) || v.Say == "error" {
				z.t.Errorf("a learner is told %+v", v)
			}
			mu.Lock()
			defer mu.Unlock()
			if v.Is == "holds" && holder != nil {
				z.t.Error("two hold the lock")
			}
			if v.Is == "holds" {
				holder = p
			}
		})
	}
	all.Wait()
	if holder == nil {
		z.t.Fatal("nobody holds the lock")
	}
	z.until("thirty znodes", func() bool { return z.made == 30 })
	return holder
}
