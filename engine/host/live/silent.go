package live

import (
	"cmp"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// lookEvery is the interval between looks at sessions that may be over.
const lookEvery = 100 * time.Millisecond

// look finds out which of the silent sessions have ended. It returns false if the servers didn't answer. It takes the
// lock.
func (w *world) look(d *adminConn) bool {
	var silent []*client
	w.Locked(func() {
		w.known.Settle(time.Now())
		for _, c := range w.clients {
			if c.mayBeOver() {
				silent = append(silent, c)
			}
		}
	})
	if len(silent) > 0 && !d.catchUp(w.cfg.Root) {
		return false
	}
	for _, c := range silent {
		there, _, err := d.ZK.Exists(marker(w.cfg.Root, c.Name()))
		if err != nil {
			return false
		}
		if there && !c.overdue() {
			continue
		}
		_, stat, err := d.ZK.Exists(holder(w.cfg.Root))
		if err != nil {
			return false
		}
		w.Locked(func() {
			kind := event.SessionExpired
			if c.closing {
				kind = event.SessionClosed // only the answer was lost
			}
			w.known.SessionEnds(c.Client, kind, stat.Pzxid, cmp.Or(c.Silenced, c.expireCause), time.Now())
		})
	}
	return true
}

// mayBeOver reports whether the server may have ended the session without telling anybody.
func (c *client) mayBeOver() bool {
	if c.Session == 0 || c.Gone || !c.marked && !c.State.Ended {
		return false
	}
	return c.State.Ended || c.State.Paused || c.IsCut() || c.link == nil
}

// overdue reports whether the session must be over, whatever its marker says. It takes the lock.
func (c *client) overdue() bool {
	c.w.Lock()
	defer c.w.Unlock()
	return c.State.Ended && time.Since(c.EndedAt()) > 2*c.Timeout+10*time.Second
}

// askOwed finds out whether overdue watch events are coming at all: those that haven't arrived before the answer to
// a request never will.
func (w *world) askOwed() {
	for _, c := range w.clients {
		if c.link == nil || c.State.Ended || c.State.Paused || c.IsCut() {
			continue
		}
		conn := c.link.conn
		if owed := conn.Owed(); len(owed) > 0 {
			w.Go(func() {
				if _, err := c.zk.Sync("/"); err == nil {
					w.Locked(func() { conn.Forgive(owed) })
				}
			})
		}
	}
}
