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
	Servers []string       // host:port
	Access  access.Dialer  // opens connections
	Path    string         // the znode
	Foreign bool           // it may exist for other purposes than runs
	Report  func(Leavings) // receives what was left; may be nil
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
			removeEmpty(conn.ZK, s.listed()) // a server may have crashed just before it did so itself
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
	conn    *zk.Conn
	base    string // "" for ZooKeeper's root
	left    Leavings
	settled map[string]bool // the roots that need no more work
}

// listed returns the znode whose children are the runs.
func (s *sweeping) listed() string {
	if s.base == "" {
		return "/"
	}
	return s.base
}

// once removes the dead runs and counts the live ones.
func (s *sweeping) once() (alive int, err error) {
	names, _, err := s.conn.Children(s.listed())
	if admin.CodeOf(err) == zoo.ErrNoNode {
		return 0, nil
	}
	if err != nil {
		return 0, wrap("list", s.listed(), err)
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
		if root := s.base + "/" + name; rootName.MatchString(name) && !s.settled[root] {
			roots = append(roots, root)
		}
	}
	slices.Sort(roots)
	return slices.Compact(roots)
}

// run removes a run unless it is alive or lacks proof.
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
		return true, nil // it has just got a session, or another server is sweeping it
	}
	if alive || err != nil {
		return alive, err
	}
	s.settled[root] = true // gone, or kept by foreign znodes
	return false, errors.Join(removeRun(s.conn, root, &s.left), claim.release())
}

// leave reports a root that looks like a run, unless it is just being created or removed.
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

// claim marks the run as abandoned, in one transaction that requires no live session. From then on, if its own
// server comes back, it cannot recreate its marker and gives up the run. The latch stays in the holder and shows
// other sweeps that this one is at work.
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
