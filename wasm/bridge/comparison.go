//go:build js && wasm

package bridge

import (
	"time"

	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// comparison is the second run on the stage: another run from the server, or another branch of the first.
type comparison struct {
	feed // for another run; a branch needs no server
	of   *Beside
	pair *player.Pair

	written string // the page's request
	wanted  string // query of another run
	refused bool   // the server didn't open it, maybe only for now
	repeats repeats
}

// ofBranch is the prefix of a request for another branch. Other requests name a scenario by its query.
const ofBranch = "branch "

func (x *comparison) begun() {
	if run := x.player.Log.Run().ID; run != "" {
		x.goOn(run)
		return
	}
	x.ask()
}

// takeMessage handles a message. It ignores one that it can't parse.
func (x *comparison) takeMessage(text []byte) {
	m, err := protocol.ParseMessage(text)
	if err != nil || x.of.second != x {
		return
	}
	switch m := m.(type) {
	case *protocol.Run:
		if fresh, _ := x.takeRun(m, player.Run{ID: m.Run, Header: m.Header}); fresh {
			x.repeats = repeats{}
		}
		clear(x.repeats.asked)
	case *protocol.Branch:
		x.settle()
		if x.follows && !x.takeRow(m.Row, nil) {
			x.openAnew()
		}
	case *protocol.Verdict:
		if x.follows {
			x.check(x.player.PutVerdict(*m))
		}
	case *protocol.Progress:
		x.computing = m
	case *protocol.Refusal:
		x.takeRefusal(m)
	}
	x.of.page.stale = true
}

// openAnew opens the run from its start. The faults of the first one follow.
func (x *comparison) openAnew() {
	x.leave()
	x.ask()
}

// takeRefusal requests a run again that is gone, and retries later if the server is too busy.
func (x *comparison) takeRefusal(m *protocol.Refusal) {
	d := x.of
	switch {
	case m.Do == protocol.Resume && x.repeatable():
		x.ask()
		return
	case m.Do == protocol.Resume, m.Do == protocol.Inject && x.feed.redoing > 0:
		x.openAnew()
		return
	}
	x.feed.refused(m.Do)
	x.refused = true
	d.page.remark, d.page.stale = d.page.panes.Say("beside.refused", d.page.panes.Says(m.Why)), true
	if wait := time.Duration(m.AgainMS) * time.Millisecond; wait > 0 && !x.follows {
		after(wait, func() {
			d.source.post(func() {
				if d.second == x && x.stopped {
					x.ask()
				}
			})
		})
	}
}
