package capture

import (
	"cmp"
	"path"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// denied ends overdue sessions that own a znode which an answer shows to be gone. Only watchers are notified of a
// session's end; other clients notice it in what they read.
func (w *Cluster) denied(r *Request, a *Reply, payload []byte, now time.Time) {
	lists := r.Op == event.Children && a.Code == zoo.OK
	if !lists && (a.Code != zoo.ErrNoNode || len(r.Parts) > 1) {
		return
	}
	missing := r.Path // including everything below it
	if r.Op == event.Create {
		missing = path.Dir(r.Path)
	}
	var names []string // sorted, for a list
	for _, c := range w.overdue() {
		for _, znode := range c.owned {
			switch {
			case w.tree.znodes[znode].is.Zxid > a.Zxid: // that server didn't know it yet
				continue
			case !lists && !window.Within(znode, missing), lists && path.Dir(znode) != r.Path:
				continue
			case lists && names == nil:
				if names = r.names(payload); names == nil {
					return
				}
			}
			if _, there := slices.BinarySearch(names, path.Base(znode)); lists && there {
				continue
			}
			w.SessionEnds(c, event.SessionExpired, a.Zxid, c.Silenced, now)
			break
		}
	}
}

// overdue returns the clients whose sessions may be over, in order.
func (w *Cluster) overdue() (all []*Client) {
	for c := range w.clients {
		if len(c.owned) > 0 && c.Overdue != nil && c.Overdue() {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *Client) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// names returns the sorted children in the answer to a request for them, or nil if it is unreadable.
func (r *Request) names(payload []byte) []string {
	var a wire.Response
	if wire.DecodeResponse(payload, r.ask, &a) != nil {
		return nil
	}
	slices.Sort(a.Children)
	return append([]string{}, a.Children...)
}
