package live

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// maxRetries limits how often a removal looks again because somebody else changed what it was about to remove.
const maxRetries = 50

// errBusy reports that a removal has reached maxRepeats.
var errBusy = errors.New("somebody else keeps changing it")

// removeBatch limits how many znodes one transaction deletes.
const removeBatch = 64

// removal removes one run.
type removal struct {
	conn    *zk.Conn
	root    string
	acl     []zk.ACL // of znodes that the run creates
	left    *Leftovers
	retries int
}

// retry reports whether the error means to look again, and counts the retries.
func (r *removal) retry(err error) bool {
	if !errors.Is(err, errChanged) || r.retries == maxRetries {
		return false
	}
	r.retries++
	return true
}

// removeRun removes what is proven to be the run's, and then the znodes above it that were created for it and are
// empty. It leaves everything else in the run, with the znodes above, and adds it to left. After an error, or a
// crash at any point, it can be done again: root and holder go together and last.
func removeRun(conn *zk.Conn, root string, left *Leftovers) error {
	r := removal{conn: conn, root: root, left: left}
	for {
		o, err := checkOwnership(conn, root)
		if err != nil {
			return err
		}
		if o.gone() {
			removeEmpty(conn, path.Dir(root))
			return nil
		}
		if !o.proven() {
			for _, z := range o.unproven() {
				left.add(z)
			}
			return nil
		}
		r.acl = o.root.acl
		done, err := r.pass(o)
		switch {
		case done, r.retry(err): // it is gone now, or has changed
		case errors.Is(err, errChanged):
			return fmt.Errorf("remove %s: %w", root, errBusy)
		default:
			return err
		}
	}
}

// pass clears the root and the holder. If nothing is left in them, it removes both.
func (r *removal) pass(o ownership) (done bool, err error) {
	inRoot, empty, err := r.clear(r.root, o.root.stat.Czxid)
	if err != nil {
		return false, err
	}
	inHolder, bare, err := r.clear(holder(r.root), o.holder.stat.Czxid)
	if err != nil {
		return false, errors.Join(err, inRoot.release())
	}
	if !empty || !bare {
		return false, errors.Join(inRoot.release(), inHolder.release())
	}
	err = transact(r.conn, inRoot.deletion(), deleteOp(r.root), inHolder.deletion(), deleteOp(holder(r.root)))
	return err == nil, err
}

func deleteOp(path string) any { return &zk.DeleteRequest{Path: path, Version: -1} }

// clear removes the run's znodes below the znode at, which must have the given czxid. It leaves a guard there, and
// reports whether nothing else is left.
func (r *removal) clear(at string, czxid int64) (g *guard, empty bool, err error) {
	for pass := 0; ; pass++ {
		if g, err = newGuard(r.conn, r.acl, r.root, at, czxid); err != nil {
			return nil, false, err
		}
		c := clearing{removal: r, at: at, guard: g, batchSize: max(1, removeBatch>>pass), empty: true}
		if err = c.children(); err == nil {
			return g, c.empty, nil
		}
		if err = errors.Join(err, g.release()); !r.retry(err) {
			return nil, false, fmt.Errorf("remove what is in %s: %w", at, err)
		}
	}
}

// clearing is one pass over the children of a znode.
type clearing struct {
	*removal
	at        string
	guard     *guard
	batchSize int   // children that one transaction deletes, at most
	batch     []any // children for the next transaction
	empty     bool  // nothing was left so far
}

func (c *clearing) children() error {
	names, _, err := c.conn.Children(c.at)
	if admin.CodeOf(err) == zoo.ErrNoNode {
		return errChanged
	}
	if err != nil {
		return wrap("list", c.at, err)
	}
	slices.Sort(names)
	for _, name := range names {
		if name == c.guard.name() {
			continue
		}
		if err := c.child(c.at + "/" + name); err != nil {
			return err
		}
	}
	return c.flush()
}

// child removes a child with all that is in it, if it is the run's.
func (c *clearing) child(path string) error {
	acl, stat, err := c.conn.GetACL(path)
	code := admin.CodeOf(err)
	switch {
	case code == zoo.ErrNoNode:
		return nil
	case err != nil && code != zoo.ErrNoAuth && code != zoo.ErrBadArguments: // the library refuses to ask for such a name
		return fmt.Errorf("get the ACL of %s: %w", path, err)
	case err != nil || markIn(acl, c.root) == nil:
		c.left.add(Leftover{path, WhyForeign})
		c.empty = false
		return nil
	case stat.NumChildren > 0:
		return c.parent(path, stat.Czxid)
	}
	if c.batch = append(c.batch, deleteOp(path)); len(c.batch) == c.batchSize {
		return c.flush()
	}
	return nil
}

// parent removes a child that has children itself.
func (c *clearing) parent(path string, czxid int64) error {
	inner, empty, err := c.clear(path, czxid)
	if err != nil {
		return err
	}
	if !empty {
		c.empty = false
		return inner.release()
	}
	if err := c.guard.do(inner.deletion(), deleteOp(path)); err != nil {
		return errors.Join(refused(err, path), inner.release())
	}
	return nil
}

// flush deletes the children that were found to be the run's.
func (c *clearing) flush() error {
	if len(c.batch) == 0 {
		return nil
	}
	err := c.guard.do(c.batch...)
	c.batch = nil
	return refused(err, c.at)
}

// refused adds the path to an error about missing permission.
func refused(err error, path string) error {
	if admin.CodeOf(err) == zoo.ErrNoAuth {
		return wrap("delete in", path, err)
	}
	return err
}

// removeEmpty removes a znode that was created for runs, and those above it, as long as they are empty. They are
// created and then changed once, and deleted by that version: what a stranger creates in their place has version 0.
// Those of earlier zkviz versions have version 0 too: if a stranger replaces one of them by an empty znode between
// the look and the delete, that znode is deleted.
func removeEmpty(conn *zk.Conn, at string) {
	for ; at != "/"; at = path.Dir(at) {
		data, stat, err := conn.Get(at)
		if err != nil || string(data) != madeByUs || stat.NumChildren > 0 || conn.Delete(at, stat.Version) != nil {
			return // it isn't ours, or still in use
		}
	}
}

// withOutlook adds to a removal's error what will happen to the rest.
func withOutlook(err error) error {
	if admin.CodeOf(err) == zoo.ErrNoAuth {
		return fmt.Errorf("%w; it stays until somebody with permission removes it", err)
	}
	return fmt.Errorf("%w; the next command or server on the same path removes it", err)
}
