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
	query   string // query of another run
	run     string // its name, once known
	refused bool   // the server didn't open it, maybe only for now
	repeats repeats
}

// ofBranch is the prefix of a request for another branch. Other requests name a scenario by its query.
const ofBranch = "branch "

func (x *comparison) begun() {
	if x.run != "" {
		x.goOn(x.run)
		return
	}
	x.ask()
}

func (x *comparison) ask() { x.server.send(protocol.Request{Do: protocol.Open, Query: x.query}) }

// takeMessage handles a message. It ignores one that it can't parse.
func (x *comparison) takeMessage(text []byte) {
	m, err := protocol.ParseMessage(text)
	if err != nil || x.of.second != x {
		return
	}
	switch m := m.(type) {
	case *protocol.Run:
		x.settle()
		if m.Run != x.run {
			x.run, x.repeats = m.Run, repeats{}
			x.begin(player.Run{ID: m.Run, Header: m.Header})
		}
		x.putRows(m.Branches)
	case *protocol.Branch:
		x.settle()
		x.check(x.player.PutBranch(m.Row, nil))
	case *protocol.Verdict:
		x.check(x.player.PutVerdict(*m))
	case *protocol.Progress:
		x.computing = m
	case *protocol.Refusal:
		x.settle()
		x.takeRefusal(m)
	}
	x.of.page.stale = true
}

// takeRefusal opens an evicted run again, and retries later if the server is too busy.
func (x *comparison) takeRefusal(m *protocol.Refusal) {
	d := x.of
	if m.Do == protocol.Resume {
		x.run = ""
		x.ask()
		return
	}
	x.refused = true
	d.page.remark, d.page.stale = d.page.panes.Say("beside.refused", d.page.panes.Says(m.Why)), true
	if wait := time.Duration(m.AgainMS) * time.Millisecond; wait > 0 && x.run == "" {
		after(wait, func() {
			d.source.post(func() {
				if d.second == x && x.run == "" {
					x.ask()
				}
			})
		})
	}
}
