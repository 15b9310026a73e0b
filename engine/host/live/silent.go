package live

import (
	"cmp"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// lookEvery is how often the sessions are looked at that may be over.
const lookEvery = 100 * time.Millisecond

// look finds out which of the sessions that are silent have ended. It reports false if the servers did not answer.
// It takes mu.
func (w *world) look(d *adminConn) bool {
	var silent []*client
	w.locked(func() {
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
		there, _, err := d.ZK.Exists(marker(w.cfg.Root, c.name))
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
		w.locked(func() {
			kind := event.SessionExpired
			if c.closing {
				kind = event.SessionClosed // only the answer was lost
			}
			w.known.SessionEnds(c.Client, kind, stat.Pzxid, cmp.Or(c.Silenced, c.expireCause), time.Now())
		})
	}
	return true
}

// mayBeOver reports that the server may have ended the session without anybody being told.
func (c *client) mayBeOver() bool {
	if c.Session == 0 || c.Gone || !c.marked && !c.state.Ended {
		return false
	}
	return c.state.Ended || c.state.Paused || c.cuts > 0 || c.link == nil
}

// overdue reports that the session must be over, whatever its mark says. It takes mu.
func (c *client) overdue() bool {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.state.Ended && time.Since(c.endedAt) > 2*c.Timeout+10*time.Second
}

// askOwed finds out whether the watch events that should have come are on their way at all: what has not
// come before the answer to a request will not come.
func (w *world) askOwed() {
	for _, c := range w.clients {
		if c.link == nil || c.state.Ended || c.state.Paused || c.cuts > 0 {
			continue
		}
		conn := c.link.conn
		if owed := conn.Owed(); len(owed) > 0 {
			w.start(func() {
				if _, err := c.zk.Sync("/"); err == nil {
					w.locked(func() { conn.Forgive(owed) })
				}
			})
		}
	}
}
