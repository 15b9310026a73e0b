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

// Base is the znode of a real ZooKeeper that runs work below.
type Base struct {
	Servers []string       // host:port
	Access  access.Dialer  // how connections are opened
	Path    string         // the znode
	Foreign bool           // it may be one that was not made for runs
	Report  func(Leavings) // is told what was left; may be nil
}

// SweepGrace is how long Sweep waits for the marks of servers that may have crashed: the longest for which
// a crashed server's mark stays, with ZooKeeper's usual tick.
const SweepGrace = admin.SessionTimeout + 4*time.Second

// Sweep removes the runs under a base that nobody is at work on any more: those whose server has crashed, and
// whose clients' sessions have ended. It waits up to SweepGrace for runs with live sessions, since those of a server
// that has just crashed still are. It removes nothing but what is proven to be of a run, and reports what else
// it finds in one, or what only looks like one. A base that was not made for runs is an error.
func Sweep(ctx context.Context, b Base) error { return sweep(ctx, b, SweepGrace) }

// SweepNow is Sweep without waiting for sessions to end: what has just crashed is left to the next one.
func SweepNow(ctx context.Context, b Base) error { return sweep(ctx, b, 0) }

func sweep(ctx context.Context, b Base, grace time.Duration) error {
	conn, err := dialAdmin(ctx, b.Servers, b.Access, nil)
	if err != nil {
		return fmt.Errorf("sweep %s: %w", b.Path, err)
	}
	defer conn.Close()
	s := sweeping{conn: conn.ZK, base: strings.TrimSuffix(b.Path, "/"), settled: map[string]bool{}}
	defer func() { s.left.tell(b.Report) }()
	if err = checkBase(conn.ZK, s.listed(), b.Foreign); err != nil {
		return err
	}
	limit := time.Now().Add(grace)
	for {
		alive, err := s.once()
		if err != nil {
			return fmt.Errorf("sweep %s: %w", b.Path, err)
		}
		if alive == 0 || !time.Now().Before(limit) {
			removeEmpty(conn.ZK, s.listed()) // a server may have crashed just before it did
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

// sweeping is a sweep under way.
type sweeping struct {
	conn    *zk.Conn
	base    string // "" for ZooKeeper's root
	left    Leavings
	settled map[string]bool // the roots that there is nothing more to do about
}

// listed is the znode whose children are the runs.
func (s *sweeping) listed() string {
	if s.base == "" {
		return "/"
	}
	return s.base
}

// once removes the dead runs and counts those that are alive.
func (s *sweeping) once() (alive int, err error) {
	names, _, err := s.conn.Children(s.listed())
	if admin.CodeOf(err) == zoo.ErrNoNode {
		return 0, nil
	}
	if err != nil {
		return 0, wrap("list", s.listed(), err)
	}
	var failed error // one that cannot be removed does not keep the others
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

// candidates are the roots of what is called like runs, in order.
func (s *sweeping) candidates(names []string) (roots []string) {
	for _, name := range names {
		if holderName.MatchString(name) {
			name = strings.TrimSuffix(name, "-clients")
		}
		if root := s.base + "/" + name; rootName.MatchString(name) && !s.settled[root] {
			roots = append(roots, root)
		}
	}
	slices.Sort(roots)
	return slices.Compact(roots)
}

// run removes a run unless it is alive or not proven to be one.
func (s *sweeping) run(root string) (alive bool, err error) {
	p, err := prove(s.conn, root)
	if err != nil || p.gone() {
		return false, err
	}
	alive, err = s.inUse(root, "")
	switch {
	case alive:
		return true, nil
	case !p.holds():
		return false, s.leave(root)
	case err != nil:
		return false, err
	}
	claim, alive, err := s.claim(p)
	if errors.Is(err, errChanged) {
		return true, nil // it has just got a session, or another server is at it
	}
	if alive || err != nil {
		return alive, err
	}
	s.settled[root] = true // gone, or kept by what is not the run's
	return false, errors.Join(removeRun(s.conn, root, &s.left), claim.release())
}

// leave leaves what is called like a run, unless it is only just being made or removed.
func (s *sweeping) leave(root string) error {
	p, err := prove(s.conn, root)
	if err != nil || p.gone() || p.holds() {
		return err
	}
	s.settled[root] = true
	for _, z := range p.unproven() {
		s.left.add(z)
	}
	return nil
}

// inUse reports whether a session is at work on the run: whether there is any ephemeral znode in its holder, but one.
func (s *sweeping) inUse(root, but string) (bool, error) {
	names, _, err := s.conn.Children(holder(root))
	if admin.CodeOf(err) == zoo.ErrNoNode {
		return false, nil
	}
	if err != nil {
		return false, wrap("list", holder(root), err)
	}
	if i := slices.Index(names, serverMark); i > 0 { // first the mark that is most often there
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

// claim marks the run as abandoned, in one transaction with its having no live session: from then on its own server
// cannot mark it as alive, should it come back, and gives it up. The latch that stays in the holder tells other
// sweeps that this one is at it.
func (s *sweeping) claim(p proof) (l *latch, alive bool, err error) {
	if l, err = newLatch(s.conn, p.holder.acl, p.run, holder(p.run), p.holder.stat.Czxid); err != nil {
		return nil, false, err
	}
	if alive, err = s.inUse(p.run, l.name()); alive || err != nil {
		return nil, alive, errors.Join(err, l.release())
	}
	err = l.guarded(&zk.SetDataRequest{Path: holder(p.run), Data: []byte(abandonedData(p.run)),
		Version: p.holder.stat.Version})
	if err != nil {
		return nil, false, errors.Join(refused(err, holder(p.run)), l.release())
	}
	return l, false, nil
}
