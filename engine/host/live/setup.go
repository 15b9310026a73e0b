package live

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// setUp prepares the run: it connects and creates the znodes that must exist before anyone starts.
func (w *world) setUp(ctx context.Context) (*adminConn, error) {
	first := true
	reaching, cancel := context.WithTimeoutCause(ctx, w.cfg.ReachWithin,
		fmt.Errorf("no server opened a session within %v; check that the addresses are right, and that the servers run "+
			"and can be reached from here", w.cfg.ReachWithin))
	defer cancel()
	d, err := dialAdmin(reaching, w.cfg.Servers, w.cfg.Access, func(up bool, text string) {
		w.Lock()
		defer w.Unlock()
		w.away = !up
		switch {
		case !up:
			w.Emit(event.Event{Kind: event.Disconnected, Text: event.Preview([]byte(text))})
		case !first:
			w.Emit(event.Event{Kind: event.Reconnected, Text: event.Preview([]byte(text))})
		}
		first = false
	})
	if err != nil {
		return nil, err
	}
	if err := d.checkChroot(); err != nil {
		return d, err
	}
	return d, w.prepare(ctx, d)
}

// checkChroot refuses a chroot that doesn't exist: its clients would have no root.
func (d *adminConn) checkChroot() error {
	if d.access.Chroot == "" {
		return nil
	}
	there, _, err := d.ZK.Exists("/")
	if err == nil && !there {
		return sentence.Error("refused.chroot", sentence.Text(d.access.Chroot))
	}
	return nil // the first write shows any other problem
}

func (w *world) prepare(ctx context.Context, d *adminConn) error {
	root := w.cfg.Root
	var above []string
	for at := path.Dir(root); at != "/"; at = path.Dir(at) {
		above = append([]string{at}, above...)
	}
	for {
		err := d.makeRoot(above, root, w.cfg.ForeignBase)
		for _, p := range w.cfg.Parents {
			if err == nil && p != root {
				err = d.makeAll(root, p)
			}
		}
		if admin.Passing(err) || admin.CodeOf(err) == zoo.ErrNoNode { // or another run has just removed an empty parent
			if err := d.Wait(ctx); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		w.acl = d.acl
		return w.logParents(ctx, d, append(append(above, root), w.cfg.Parents...))
	}
}

// makeRoot creates the znodes above a run's root, then the root and its holder in one transaction.
func (d *adminConn) makeRoot(above []string, root string, foreign bool) error {
	if err := checkBase(d.ZK, path.Dir(root), foreign); err != nil {
		return err
	}
	if err := d.removable(append(above[:len(above):len(above)], root)); err != nil {
		return err
	}
	for _, p := range above {
		if err := d.makeParent(p); err != nil {
			return err
		}
	}
	err := checkBase(d.ZK, path.Dir(root), foreign) // somebody else may just have created it
	if err != nil {
		return err
	}
	for _, d.acl = range aclsOf(root) {
		if err = d.makeRootAndHolder(root); admin.CodeOf(err) != zoo.ErrInvalidACL {
			break
		}
	}
	return err
}

// makeRootAndHolder creates the root, and the holder with the server's marker.
func (d *adminConn) makeRootAndHolder(root string) error {
	data := []byte(dataOf(root))
	_, err := d.ZK.Multi(
		&zk.CreateRequest{Path: holder(root), Data: data, Acl: d.acl},
		&zk.CreateRequest{Path: marker(root, serverMark), Acl: d.acl, Flags: zk.FlagEphemeral},
		&zk.CreateRequest{Path: root, Data: data, Acl: d.acl},
	)
	if admin.CodeOf(err) == zoo.ErrNodeExists {
		return d.madeBefore(root)
	}
	return wrap("create", root, err)
}

// madeBefore checks whether an existing root is the run's own, created by a request with a lost reply.
func (d *adminConn) madeBefore(root string) error {
	o, err := checkOwnership(d.ZK, root)
	switch {
	case err != nil:
		return err
	case o.proven():
		d.acl = o.root.acl
		return d.keepMark(root)
	}
	return fmt.Errorf("create %s: somebody else has created it, or the znode that holds its sessions", root)
}

// makeParent creates a znode above a root and changes it once: see removeEmpty.
func (d *adminConn) makeParent(path string) error {
	data := []byte(madeByUs)
	_, err := d.ZK.Multi(
		&zk.CreateRequest{Path: path, Data: data, Acl: zk.WorldACL(zk.PermAll)},
		&zk.SetDataRequest{Path: path, Data: data, Version: 0},
	)
	if admin.CodeOf(err) == zoo.ErrNodeExists {
		return nil
	}
	return wrap("create", path, err)
}

// removable refuses to create what could not be removed again: the first missing path goes below a znode whose ACL
// must let us delete.
func (d *adminConn) removable(paths []string) error {
	for _, p := range paths {
		there, _, err := d.ZK.Exists(p)
		if err != nil {
			return wrap("find", p, err)
		}
		if there {
			continue
		}
		acl, _, err := d.ZK.GetACL(path.Dir(p))
		switch admin.CodeOf(err) {
		case zoo.OK:
		case zoo.ErrNoAuth:
			return nil // the create will tell
		default:
			return wrap("get the ACL of", path.Dir(p), err)
		}
		for _, a := range acl {
			if a.Perms&zk.PermDelete != 0 && d.appliesTo(a) {
				return nil
			}
		}
		return &zoo.Error{Op: "delete below", Path: path.Dir(p), Code: zoo.ErrNoAuth}
	}
	return nil
}

// appliesTo reports whether an ACL's entry may apply to the run.
func (d *adminConn) appliesTo(a zk.ACL) bool {
	switch a.Scheme {
	case "world", "ip":
		return true
	case "x509":
		return d.access.TLS != nil && len(d.access.TLS.Certificates) > 0
	}
	return slices.ContainsFunc(d.access.Auth, func(i access.Identity) bool { return i.Holds(a.Scheme, a.ID) })
}

// makeAll creates znode and what is missing between root and it.
func (d *adminConn) makeAll(root, znode string) error {
	if znode == root {
		return nil
	}
	if err := d.makeAll(root, path.Dir(znode)); err != nil {
		return err
	}
	_, err := d.ZK.Create(znode, nil, 0, d.acl)
	if admin.CodeOf(err) == zoo.ErrNodeExists {
		return nil
	}
	return wrap("create", znode, err)
}

func wrap(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &zoo.Error{Op: op, Path: path, Code: admin.CodeOf(err)}
}

// logParents logs the znodes that exist before anyone starts.
func (w *world) logParents(ctx context.Context, d *adminConn, paths []string) error {
	seen := map[string]bool{}
	for _, p := range paths {
		if seen[p] {
			continue
		}
		seen[p] = true
		data, stat, err := d.ZK.Get(p)
		for admin.Passing(err) {
			if err := d.Wait(ctx); err != nil {
				return err
			}
			data, stat, err = d.ZK.Get(p)
		}
		if err != nil {
			return wrap("get", p, err)
		}
		w.Locked(func() { w.known.Created(p, zoo.Op{Data: data}, nil, stat.Czxid, 0) })
	}
	return nil
}
