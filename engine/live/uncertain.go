package live

import (
	"bytes"
	"path"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/admin"
	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// A write whose answer never came, because the server died or the network did, may have been carried out or not. The
// client has to live with that; the log need not: the admin connection looks.

// markUncertain remembers a write to look into.
func (w *world) markUncertain(r *capture.Request) {
	if r.Claimed && r.Changes() && r.Op != event.CloseSession && !w.ended {
		w.unknown = append(w.unknown, r)
		w.uncertain++
	}
}

// findOut looks into the writes whose outcome is unknown. It takes mu.
func (w *world) findOut(d *adminConn) {
	var unsure []*capture.Request
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
		w.locked(func() { w.known.Settle(time.Now()); w.checkDone() })
	}
}

func (w *world) findOutOne(d *adminConn, r *capture.Request, o zoo.Op) error {
	switch {
	case o.Kind == zoo.OpDelete:
		in, stat, err := d.ZK.Exists(path.Dir(o.Path)) // first, so that what is made since is later than its last change
		if err != nil {
			return err
		}
		there, _, err := d.ZK.Exists(o.Path)
		if err != nil || there {
			return err
		}
		w.locked(func() {
			if w.known.Has(o.Path) && (!in || w.known.Last(o.Path) <= stat.Pzxid) {
				w.known.Deleted(o.Path, r.By.ID, event.ByOp, stat.Pzxid, r.Cause)
			}
		})
	case o.Kind == zoo.OpCreate && o.Mode.IsSequential():
		names, _, err := d.ZK.Children(path.Dir(o.Path))
		if err != nil {
			return err
		}
		for _, made := range w.unheardOf(path.Dir(o.Path), path.Base(o.Path), names) {
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
func (w *world) findSet(d *adminConn, r *capture.Request, o zoo.Op) error {
	data, stat, err := d.ZK.Get(o.Path)
	if admin.CodeOf(err) == zoo.ErrNoNode {
		return nil
	}
	if err != nil || stat.Mzxid == stat.Czxid || !bytes.Equal(data, o.Data) {
		return err
	}
	w.locked(func() { w.known.FoundSet(o, r.By, stat.Mzxid, r.Cause) })
	return nil
}

// unheardOf are the paths of those children that begin with prefix and that the log does not know. It
// takes mu.
func (w *world) unheardOf(parent, prefix string, names []string) (paths []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range names {
		if path := parent + "/" + name; strings.HasPrefix(name, prefix) && !w.known.Has(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// findMade logs the creation of a znode that is there and that nobody has been told of.
func (w *world) findMade(d *adminConn, r *capture.Request, o zoo.Op, path string) error {
	there, stat, err := d.ZK.Exists(path)
	if err != nil || !there {
		return err
	}
	w.locked(func() {
		if !o.Mode.IsEphemeral() || stat.EphemeralOwner == r.By.Session && !r.By.Gone {
			w.known.Created(path, o, r.By, stat.Czxid, r.Cause)
		}
	})
	return nil
}
