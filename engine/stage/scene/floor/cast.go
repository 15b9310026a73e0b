package floor

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
)

// cast knows who the clients are: what they own, and what they do.
type cast struct {
	Setting
	owning map[int64]bool  // in an observation, the sessions that own something
	owners map[int64]int32 // clients by session; empty until the first lookup
	Parts  []view.Part     // by client: the most telling role of its znodes among their siblings
	Owned  []int32         // by client: the znode with that role, -1 for none
}

func (t *cast) begin(s *view.State, at time.Duration, o Options) {
	t.Setting.begin(s, at, o)
	clear(t.owners)
	t.findOwning()
	t.findParts()
}
