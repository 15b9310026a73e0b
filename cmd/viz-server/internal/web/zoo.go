package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/contend"
	"github.com/zkviz/zkviz/engine/embed"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
)

// Zoo is a ZooKeeper that runs inside this program, for clients of the reader's own. *embed.Server is one.
type Zoo interface {
	Addr() net.Addr
	Dial() (net.Conn, error)
	// Observe reports a subtree, and all sessions, until ctx ends or, with embed.ErrLogFull, the log is
	// long enough. It writes nothing.
	Observe(ctx context.Context, root string, sink event.Sink, max int) error
}

// zooHost opens rooms that show a subtree of the ZooKeeper inside this program, and whoever connects to it.
type zooHost struct {
	server   Zoo
	opening  sync.Mutex
	resizing sync.Mutex // while contenders come and go
}

// zooRecipe stands for a recipe in the log of a zoo, where everybody does what they like.
const zooRecipe = "zoo"

// contenderPace lets a person see one request of a contender after the other.
const contenderPace = 700 * time.Millisecond

func isZoo(r *room) bool { return r.host == hostZoo && !r.over() }

// open enters the room that shows path, or makes it.
func (z *zooHost) open(rs *rooms, who asker, path string) (*room, error) {
	z.opening.Lock()
	defer z.opening.Unlock()
	same := func(r *room) bool { return isZoo(r) && r.root == path }
	if r, ok := rs.enterWhere(who, same); ok {
		return r, nil
	}
	if err := rs.admit(who, rs.bounded("znodes shown in the zoo", MaxZoos, MaxZoosOfAsker, isZoo)); err != nil {
		return nil, err
	}
	r := rs.newRoom(hostZoo, who)
	r.recipe, r.root = zooRecipe, path
	first, log := r.observedBranch()
	r.addBranch(first)
	j := &journal{}
	crowd := contend.New(contend.Config{Dial: z.server.Dial, Path: path, Pace: contenderPace, Tell: j.tell, Left: r.setContenders})
	j.now = crowd.Now
	r.contend = func(n int) error {
		if path == "/" {
			return errors.New("contenders queue under a znode of their own, not under the root; choose another path")
		}
		z.resizing.Lock()
		defer z.resizing.Unlock()
		if err := rs.mayContend(r, n); err != nil {
			return err
		}
		if err := crowd.Resize(n); err != nil {
			return err
		}
		r.setContenders(n)
		return nil
	}
	r.carryOut = func(_ context.Context, _ int, f fault.Fault) error {
		session, ok := j.sessionOf(event.Actor(f.Client))
		if !ok {
			return fmt.Errorf("fault %q: there is no client-%d", f, f.Client)
		}
		return crowd.Do(session, f)
	}
	ctx := r.startable()
	if err := rs.open(r); err != nil {
		return nil, err
	}
	r.start(ctx, func(ctx context.Context) {
		defer crowd.Close()
		l := lookout{place: z.server.Addr().String(), full: embed.ErrLogFull, observe: func(ctx context.Context, sink event.Sink) error {
			j.begin(sink)
			return z.server.Observe(ctx, path, j, MaxLiveEvents)
		}}
		l.watch(ctx, r, log)
	})
	return r, nil
}
