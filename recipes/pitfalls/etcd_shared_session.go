package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// sharedSession has two mutexes with one session, for two threads of a process. But what a mutex has in the queue is
// its session's key: both have the same, so that the second is in at once, and lets others in when it leaves.
type sharedSession struct{ kit.EtcdQueue }

// second is the other thread, over a connection of its own: it gets in, and leaves after a short job.
func (l sharedSession) second(w systems.World, p recipe.Params) error {
	e := etcd.New(w.Connect(1))
	if err := w.Sleep(p.Hold / 3); err != nil {
		return err
	}
	mine, first, err := e.Queue(l.Prefix, l.Key(), w.Name(), l.ID)
	if err != nil || mine.Key != first.Key {
		return err
	}
	w.Note("its other thread is in as well: it has found its key at the head of the queue")
	_, err = e.Delete(mine.Key)
	return err
}

func useSharedSession(w systems.World, l sharedSession, p recipe.Params) error {
	mine, first, err := l.Join(w)
	if err == nil && !first {
		err = l.AwaitFirst(mine)
	}
	if err != nil {
		return err
	}
	w.Phase(program.Holding, mine)
	defer w.Beside(func(w systems.World) error { return l.second(w, p) })()
	const noFence = 0
	if err := w.Write(ledger, w.Name()+" begins", noFence); err != nil {
		return err
	}
	if err := w.Work(p.Hold); err != nil {
		return err
	}
	if err := w.Write(ledger, w.Name()+" ends", noFence); err != nil {
		return err
	}
	w.Phase(program.Released, mine)
	_, err = kit.Ensure(func() (bool, error) { return l.Delete(mine.Path) })
	return err
}

var sharedSessionRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "etcd-shared-session",
	Cure:        "etcd-mutex",
	File:        Dir + "etcd_shared_session.go",
	Promises:    []string{promise.Fenced},
	Sources:     []string{"etcd, client/v3/concurrency/mutex.go: the key is the prefix and the lease"},
	FoundWithin: 100,
	Seen:        "clients=2&hold=3s",
	MinClients:  2,
	Systems:     oneEtcd(),
	Drawing:     event.Drawing{Kind: event.DrawQueue, Queue: "lock", Stores: kit.Ledger()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.UseEtcd(w, p.Lease, func(s *kit.EtcdSession) error {
			l := sharedSession{kit.NewEtcdQueue(s, p)}
			return kit.Repeat(w, p, func(p recipe.Params) error { return useSharedSession(w, l, p) })
		})
	},
}
