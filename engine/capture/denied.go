package capture

import (
	"cmp"
	"path"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// denied ends the sessions of which nothing was heard for so long that they may be over, and of whose znodes an answer
// says that there's one no more. Nobody is told of the end of a session but those who watch; others are by what they
// read.
func (w *Cluster) denied(r *Request, a *Reply, payload []byte, now time.Time) {
	lists := r.Op == event.Children && a.Code == zoo.OK
	if !lists && (a.Code != zoo.ErrNoNode || len(r.Parts) > 1) {
		return
	}
	missing := r.Path // with all that was below it
	if r.Op == event.Create {
		missing = path.Dir(r.Path)
	}
	var names []string // in their order, of a list
	for _, c := range w.overdue() {
		for _, znode := range c.owned {
			switch {
			case w.tree.znodes[znode].is.Zxid > a.Zxid: // that server had not heard of it
				continue
			case !lists && !Within(znode, missing), lists && path.Dir(znode) != r.Path:
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

// overdue are the clients whose sessions may be over, in their order.
func (w *Cluster) overdue() (all []*Client) {
	for c := range w.clients {
		if len(c.owned) > 0 && c.Overdue != nil && c.Overdue() {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *Client) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// names are the children in the answer to a request for them, in their order; nil if it can't be read.
func (r *Request) names(payload []byte) []string {
	var a wire.Response
	if wire.DecodeResponse(payload, r.ask, &a) != nil {
		return nil
	}
	slices.Sort(a.Children)
	return append([]string{}, a.Children...)
}
