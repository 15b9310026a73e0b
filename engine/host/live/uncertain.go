package live

import (
	"bytes"
	"path"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// A write whose answer never came, because the server died or the network did, may have been carried out or not. The
// client has to live with that; the log doesn't: the admin connection looks.
//
// A write is known to have failed only once nothing can come of it: it may still be on its way until its client has
// another connection, or will have none. And if a client learns the outcome from a later call, it waits until the
// log has it too.

// uncertainWrite is a write whose outcome is unknown.
type uncertainWrite struct {
	*capture.Request
	on   *link // the connection that carried it
	last bool  // this look is the last: if it finds no effect, there never will be one
}

// contested reports whether other writes to the znode are under way. Until they are answered, nobody can tell which
// write made the change, so this look isn't the last.
func (w *world) contested(u *uncertainWrite, znode string) bool {
	contested := w.known.Contested(znode, u.Request)
	u.last = u.last && !contested
	return contested
}

// markUncertain remembers a write to look into.
func (w *world) markUncertain(on *link, r *capture.Request) {
	if r.Claimed && r.Changes() && r.Op != event.CloseSession && !w.Ended() {
		w.unresolved = append(w.unresolved, uncertainWrite{Request: r, on: on})
		w.uncertain++
		on.c.unsure++
	}
}

// resolve looks into the writes with unknown outcome. It returns false if the servers didn't answer. It takes the lock.
func (w *world) resolve(d *adminConn) bool {
	var unsure []uncertainWrite
	w.Locked(func() {
		unsure, w.unresolved = w.unresolved, nil
		for i := range unsure {
			u := &unsure[i]
			u.last = u.By.Gone || u.on.c.link != nil && u.on.c.link != u.on
		}
	})
	if len(unsure) == 0 {
		return true
	}
	for n, u := range unsure {
		found, answered := false, n > 0 || d.catchUp(w.cfg.Root)
		if answered {
			found, answered = w.findAll(d, &u)
		}
		if !answered {
			w.Locked(func() { w.unresolved = append(w.unresolved, unsure[n:]...) })
			return false
		}
		w.Locked(func() { w.decide(u, found) })
	}
	w.Locked(func() { w.known.Settle(time.Now()); w.CheckDone() })
	return true
}

// decide ends the doubt about a write if its effect was found, or if there will never be one.
func (w *world) decide(u uncertainWrite, found bool) {
	if !found && (!u.last || w.asksAgain(u)) {
		w.unresolved = append(w.unresolved, u)
		return
	}
	w.uncertain--
	c := u.on.c
	c.unsure--
	c.Wake()
}

// asksAgain reports whether the same client has another write under way: that one may have made the change, and its
// answer will tell.
func (w *world) asksAgain(u uncertainWrite) bool {
	k := u.on.c.call
	return k != nil && k.req != nil && k.req != u.Request && w.known.Awaits(k.req)
}

// catchUp waits until the log has the outcomes of the client's own writes with lost replies: the client may have
// learnt them by now.
func (c *client) catchUp() {
	if c.unsure > 0 {
		c.w.lookSoon()
	}
	for c.unsure > 0 && c.awake() {
		c.Wait()
	}
}

// findAll looks for all effects of a write. It reports whether they were found; answered is false if the servers
// didn't answer.
func (w *world) findAll(d *adminConn, u *uncertainWrite) (found, answered bool) {
	found = true
	for _, o := range u.Parts {
		one, err := w.findOne(d, u, o)
		if admin.Passing(err) { // any other error is an answer: there is no such znode
			return false, false
		}
		found = found && one && err == nil
	}
	return found, true
}

// findOne looks for the effect of one part of a write, and logs it if found.
func (w *world) findOne(d *adminConn, u *uncertainWrite, o zoo.Op) (found bool, err error) {
	switch {
	case o.Kind == zoo.OpDelete:
		return w.findGone(d, u, o)
	case o.Kind == zoo.OpCreate && o.Mode.IsSequential():
		names, _, err := d.ZK.Children(path.Dir(o.Path))
		if err != nil {
			return false, err
		}
		for _, made := range w.unknownTo(path.Dir(o.Path), path.Base(o.Path), names) {
			one, err := w.findMade(d, u, o, made)
			if err != nil {
				return false, err
			}
			found = found || one
		}
		return found, nil
	case o.Kind == zoo.OpCreate:
		return w.findMade(d, u, o, o.Path)
	case o.Kind == zoo.OpSet:
		return w.findSet(d, u, o)
	}
	return true, nil
}

// findGone logs the end of a znode that doesn't exist. It happened no later than the last change of its parent's
// children, which is read between two looks: a znode created since is later than that.
func (w *world) findGone(d *adminConn, u *uncertainWrite, o zoo.Op) (found bool, err error) {
	there, _, err := d.ZK.Exists(o.Path)
	if err != nil || there {
		return false, err
	}
	in, stat, err := d.ZK.Exists(path.Dir(o.Path))
	if err == nil {
		there, _, err = d.ZK.Exists(o.Path)
	}
	if err != nil || there {
		return false, err
	}
	w.Locked(func() {
		if found = !w.contested(u, o.Path); found && w.known.Has(o.Path) && (!in || w.known.Last(o.Path) < stat.Pzxid) {
			w.known.Deleted(o.Path, u.By.ID, event.ByOp, stat.Pzxid, u.Cause)
		}
	})
	return found, nil
}

// findSet logs a change that nobody was told of, if the data is still what the client wrote. If another change has
// replaced it since, nobody can tell whether it ever happened.
func (w *world) findSet(d *adminConn, u *uncertainWrite, o zoo.Op) (found bool, err error) {
	data, stat, err := d.ZK.Get(o.Path)
	if err != nil || stat.Mzxid == stat.Czxid || !bytes.Equal(data, o.Data) {
		return false, err
	}
	w.Locked(func() {
		if found = !w.asksAgain(*u); found && w.known.Last(o.Path) < stat.Mzxid { // else the log has a later one
			w.known.FoundSet(o, u.By, stat.Mzxid, u.Cause)
		}
	})
	return found, nil
}

// unknownTo returns the paths of those children that begin with prefix and are unknown to the log. It takes the lock.
func (w *world) unknownTo(parent, prefix string, names []string) (paths []string) {
	w.Lock()
	defer w.Unlock()
	for _, name := range names {
		if path := parent + "/" + name; strings.HasPrefix(name, prefix) && !w.known.Has(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// findMade logs the creation of an existing znode that nobody was told of. Somebody else has created it if its data
// differs although it was never changed.
func (w *world) findMade(d *adminConn, u *uncertainWrite, o zoo.Op, path string) (found bool, err error) {
	data, stat, err := d.ZK.Get(path)
	if err != nil {
		return false, err
	}
	w.Locked(func() {
		mine := !o.Mode.IsEphemeral() || stat.EphemeralOwner == u.By.Session && !u.By.Gone
		mine = mine && (stat.Version > 0 || bytes.Equal(data, o.Data))
		rival := w.asksAgain(*u)
		if !o.Mode.IsSequential() {
			rival = w.contested(u, path)
		}
		if found = mine && !rival; found {
			w.known.Created(path, o, u.By, stat.Czxid, u.Cause)
		}
	})
	return found, nil
}
