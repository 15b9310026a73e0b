package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// Base is the znode of a real ZooKeeper under which runs work.
type Base struct {
	Servers []string        // host:port
	Access  access.Dialer   // opens connections
	Path    string          // the znode
	Foreign bool            // it may exist for other purposes than runs
	Report  func(Leftovers) // receives what was left; may be nil
}

// SweepGrace is how long Sweep waits for the markers of servers that may have crashed: the longest time for which a
// crashed server's marker stays, with ZooKeeper's usual tick.
const SweepGrace = admin.SessionTimeout + 4*time.Second

// Sweep removes the dead runs under a base: those whose server has crashed and whose clients' sessions have ended.
// It waits up to SweepGrace for runs with live sessions, because sessions outlive a server that has just crashed. It
// removes only what is proven to belong to a run, and reports foreign znodes and those that only look like a run. It
// returns an error for a base that wasn't created for runs.
func Sweep(ctx context.Context, b Base) error { return sweep(ctx, b, SweepGrace) }

// SweepNow is like Sweep but doesn't wait for sessions to end: it leaves runs that have just crashed to the next sweep.
func SweepNow(ctx context.Context, b Base) error { return sweep(ctx, b, 0) }

func sweep(ctx context.Context, b Base, grace time.Duration) error {
	conn, err := dialAdmin(ctx, b.Servers, b.Access, nil)
	if err != nil {
		return fmt.Errorf("sweep %s: %w", b.Path, err)
	}
	defer conn.Close()
	s := sweeping{conn: conn.ZK, base: strings.TrimSuffix(b.Path, "/"), done: map[string]bool{}}
	defer func() { s.left.reportTo(b.Report) }()
	if err = checkBase(conn.ZK, s.basePath(), b.Foreign); err != nil {
		return err
	}
	limit := time.Now().Add(grace)
	for {
		alive, err := s.pass()
		if err != nil {
			return fmt.Errorf("sweep %s: %w", b.Path, err)
		}
		if alive == 0 || !time.Now().Before(limit) {
			removeEmpty(conn.ZK, s.basePath()) // a server may have crashed just before it did so itself
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("sweep %s: %w", b.Path, ctx.Err())
		case <-time.After(sweepEvery):
		}
	}
}

const sweepEvery = 500 * time.Millisecond

// sweeping is a sweep in progress.
type sweeping struct {
	conn *zk.Conn
	base string // "" for ZooKeeper's root
	left Leftovers
	done map[string]bool // the roots that need no more work
}

// basePath returns the znode whose children are the runs.
func (s *sweeping) basePath() string {
	if s.base == "" {
		return "/"
	}
	return s.base
}

// pass removes the dead runs and counts the live ones.
func (s *sweeping) pass() (alive int, err error) {
	names, _, err := s.conn.Children(s.basePath())
	if admin.CodeOf(err) == zoo.ErrNoNode {
		return 0, nil
	}
	if err != nil {
		return 0, wrap("list", s.basePath(), err)
	}
	var failed error // one that cannot be removed doesn't stop the others
	for _, root := range s.candidates(names) {
		lives, err := s.run(root)
		if lives {
			alive++
		}
		switch {
		case admin.Passing(err):
			return alive, err
		case err != nil:
			failed = err
		}
	}
	return alive, failed
}

// candidates returns, in order, the roots whose names look like runs.
func (s *sweeping) candidates(names []string) (roots []string) {
	for _, name := range names {
		if holderName.MatchString(name) {
			name = strings.TrimSuffix(name, "-clients")
		}
		if root := s.base + "/" + name; rootName.MatchString(name) && !s.done[root] {
			roots = append(roots, root)
		}
	}
	slices.Sort(roots)
	return slices.Compact(roots)
}

// run removes a run unless it is alive or its ownership is unproven.
func (s *sweeping) run(root string) (alive bool, err error) {
	o, err := checkOwnership(s.conn, root)
	if err != nil || o.gone() {
		return false, err
	}
	alive, err = s.inUse(root, "")
	switch {
	case alive:
		return true, nil
	case !o.proven():
		return false, s.reportUnproven(root)
	case err != nil:
		return false, err
	}
	guard, alive, err := s.abandon(o)
	if errors.Is(err, errChanged) {
		return true, nil // it has just got a session, or another server is sweeping it
	}
	if alive || err != nil {
		return alive, err
	}
	s.done[root] = true // gone, or kept by foreign znodes
	return false, errors.Join(removeRun(s.conn, root, &s.left), guard.release())
}

// reportUnproven reports a root that looks like a run, unless it is just being created or removed.
func (s *sweeping) reportUnproven(root string) error {
	o, err := checkOwnership(s.conn, root)
	if err != nil || o.gone() || o.proven() {
		return err
	}
	s.done[root] = true
	for _, z := range o.unproven() {
		s.left.add(z)
	}
	return nil
}

// inUse reports whether any session works on the run: whether its holder has an ephemeral znode other than but.
func (s *sweeping) inUse(root, but string) (bool, error) {
	names, _, err := s.conn.Children(holder(root))
	if admin.CodeOf(err) == zoo.ErrNoNode {
		return false, nil
	}
	if err != nil {
		return false, wrap("list", holder(root), err)
	}
	if i := slices.Index(names, serverMark); i > 0 { // first the marker that most often exists
		names[0], names[i] = names[i], names[0]
	}
	for _, name := range names {
		_, stat, err := s.conn.Exists(marker(root, name))
		if err != nil && admin.CodeOf(err) != zoo.ErrNoNode {
			return false, wrap("find", marker(root, name), err)
		}
		if err == nil && stat.EphemeralOwner != 0 && name != but {
			return true, nil
		}
	}
	return false, nil
}

// abandon marks the run as abandoned, in one transaction that requires no live session. From then on, if its own
// server comes back, it cannot recreate its marker and gives up the run. The guard stays in the holder and shows
// other sweeps that this one is at work.
func (s *sweeping) abandon(o ownership) (g *guard, alive bool, err error) {
	if g, err = newGuard(s.conn, o.holder.acl, o.run, holder(o.run), o.holder.stat.Czxid); err != nil {
		return nil, false, err
	}
	if alive, err = s.inUse(o.run, g.name()); alive || err != nil {
		return nil, alive, errors.Join(err, g.release())
	}
	err = g.do(&zk.SetDataRequest{Path: holder(o.run), Data: []byte(abandonedData(o.run)),
		Version: o.holder.stat.Version})
	if err != nil {
		return nil, false, errors.Join(refused(err, holder(o.run)), g.release())
	}
	return g, false, nil
}
