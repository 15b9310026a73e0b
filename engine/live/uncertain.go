package live

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/admin"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// A write whose answer never came, because the server died or the network did, may have been carried out or
// not. The client has to live with that; the log need not: the admin
// connection looks.

// markUncertain remembers a write to look into.
func (w *world) markUncertain(r *request) {
	if r.call != nil && changes(r.Op) && r.Op != event.CloseSession && !w.ended {
		w.unknown = append(w.unknown, r)
		w.uncertain++
	}
}

// findOut looks into the writes whose outcome is unknown. It takes mu.
func (w *world) findOut(d *adminConn) {
	var unsure []*request
	w.locked(func() { unsure, w.unknown = w.unknown, nil })
	for i, r := range unsure {
		for _, o := range r.Parts {
			if err := w.findOutOne(d, r, o); admin.Passing(err) { // what else fails is answered: there is no such znode
				w.locked(func() { w.unknown = append(w.unknown, unsure[i:]...) })
				return
			}
		}
		w.locked(func() { w.uncertain-- })
	}
	if len(unsure) > 0 {
		w.locked(func() { w.settleNotices(); w.checkDone() })
	}
}

func (w *world) findOutOne(d *adminConn, r *request, o zoo.Op) error {
	switch {
	case o.Kind == zoo.OpDelete:
		there, _, err := d.ZK.Exists(o.Path)
		if err != nil || there {
			return err
		}
		_, stat, err := d.ZK.Exists(parentOf(o.Path))
		if err != nil {
			return err
		}
		w.locked(func() {
			if w.tree.has(o.Path) {
				w.deleted(o.Path, r.by.id, event.ByOp, stat.Pzxid, r.cause)
			}
		})
	case o.Kind == zoo.OpCreate && o.Mode.IsSequential():
		names, _, err := d.ZK.Children(parentOf(o.Path))
		if err != nil {
			return err
		}
		for _, made := range w.unheardOf(parentOf(o.Path), path.Base(o.Path), names) {
			if err := w.findMade(d, r, o, made); err != nil {
				return err
			}
		}
	case o.Kind == zoo.OpCreate:
		return w.findMade(d, r, o, o.Path)
	case o.Kind == zoo.OpSet:
		return w.findSet(d, r, o)
	}
	return nil
}

// findSet logs a change that nobody has been told of, if the data is still that which the client wrote.
// One that another change has since replaced cannot be told from one that never was.
func (w *world) findSet(d *adminConn, r *request, o zoo.Op) error {
	data, stat, err := d.ZK.Get(o.Path)
	if admin.CodeOf(err) == zoo.ErrNoNode {
		return nil
	}
	if err != nil || stat.Mzxid == stat.Czxid || !bytes.Equal(data, o.Data) {
		return err
	}
	w.locked(func() {
		if !w.tree.knows(o.Path, stat.Mzxid) {
			w.tree.found[stat.Mzxid] = true
			w.changed(o, r.by, stat.Mzxid, r.cause)
		}
	})
	return nil
}

// knows reports whether the log has the znode's change of that zxid.
func (t *tree) knows(path string, zxid int64) bool {
	return slices.ContainsFunc(t.of[path], func(c change) bool { return c.zxid == zxid })
}

// unheardOf are the paths of those children that begin with prefix and that the log does not know. It
// takes mu.
func (w *world) unheardOf(parent, prefix string, names []string) (paths []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range names {
		if path := parent + "/" + name; strings.HasPrefix(name, prefix) && !w.tree.has(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// findMade logs the creation of a znode that is there and that nobody has been told of.
func (w *world) findMade(d *adminConn, r *request, o zoo.Op, path string) error {
	there, stat, err := d.ZK.Exists(path)
	if err != nil || !there {
		return err
	}
	w.locked(func() {
		ours := !o.Mode.IsEphemeral() || stat.EphemeralOwner == r.by.session && !r.by.gone
		if ours && !w.tree.has(path) {
			w.created(path, o, r.by, stat.Czxid, r.cause)
		}
	})
	return nil
}

func (t *tree) has(path string) bool {
	_, there := t.owner[path]
	return there
}
