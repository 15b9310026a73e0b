package capture

import (
	"path"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// doubt remembers a write whose answer will not come: what it deletes may be gone, and what it creates may exist.
func (w *Cluster) doubt(r *Request) {
	w.doubtCreates(r)
	w.doubtDeletes(r)
}

// doubtDeletes remembers that what a write deletes may be gone.
func (w *Cluster) doubtDeletes(r *Request) {
	for _, o := range r.Parts {
		if z := w.tree.znodes[o.Path]; z != nil && o.Kind == zoo.OpDelete && r.Passed {
			z.doubt = r
		}
	}
}

// shown handles an answer that the znode exists. If its client sent a delete before that lost its answer, then the
// delete wasn't executed: the servers keep each client's order. Other clients' answers may be older.
func (w *Cluster) shown(r *Request, payload []byte) {
	clearDoubt := func(at string) {
		if z := w.tree.znodes[at]; z != nil && z.doubt != nil && z.doubt.By == r.By {
			z.doubt = nil
		}
	}
	switch r.Op {
	case event.Exists, event.Get:
		clearDoubt(r.Path)
	case event.Children:
		clearDoubt(r.Path)
		for _, name := range r.names(payload) {
			clearDoubt(path.Join(r.Path, name))
		}
	}
}

// missing handles an answer that there is no such znode as of the zxid. If the log has the znode, and a delete of it
// lost its answer, that delete was executed. It is logged before anybody acts on the answer. While another write at
// the znode is under way, that may be the cause instead.
func (w *Cluster) missing(r *Request, zxid int64) {
	if z := w.tree.znodes[r.Path]; z != nil && !w.Contested(r.Path, r) {
		w.confirmDelete(z, r.By, zxid)
	}
}

// confirmDelete logs that a delete with a lost answer was executed, if there is one: the znode is known to be gone at
// the zxid, though not since when. An ephemeral znode of another client than the one that was told may be gone with
// its session instead. Then the session's end will tell.
func (w *Cluster) confirmDelete(z *znode, asker *Client, zxid int64) bool {
	if z.doubt == nil || z.is.Zxid > zxid || z.owner != nil && z.owner != asker {
		return false
	}
	w.Deleted(z.is.Path, z.doubt.By.ID, event.ByOp, zxid, z.doubt.Cause)
	return true
}
