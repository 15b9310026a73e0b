package floor

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// asking returns the key of the word for a client of ZooKeeper that has reported nothing yet, but waits for a reply.
func (t *cast) asking(c *view.Client) string {
	switch {
	case t.Kind == RemoteKind || c.Op == event.NoOp || c.Exited:
		return ""
	case c.Op == event.Sync && c.Server != 0:
		return asksForSync
	}
	return "scene.asks"
}

const asksForSync = "scene.asks.sync"
