//go:build js && wasm

package bridge

import (
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// comparison is the second run on the stage: another run from the server, or another branch of the first.
type comparison struct {
	feed // for another run; a branch needs no server
	of   *Bridge
	pair *player.Pair

	written string // the page's request
	query   string // query of another run
	run     string // its name, once known
	repeats repeats
}

// ofBranch is the prefix of a request for another branch. Other requests name a scenario by its query.
const ofBranch = "branch "

// compare shows the requested run together with the first one, or none.
func (b *Bridge) compare(written string) bool {
	if b.comparison != nil && b.comparison.written == written {
		return true
	}
	b.endComparison()
	switch {
	case written == "":
		return true
	case b.file, b.address.Host.Traits().RealTime, b.player.Run().Live():
		b.remark = b.page.panes.Say("beside.simulated")
		return false
	}
	x := &comparison{of: b, written: written}
	if text, ok := strings.CutPrefix(written, ofBranch); ok {
		id, err := strconv.Atoi(text)
		if err != nil || id < 0 || id >= player.MaxBranches {
			return false
		}
		x.pair = player.NewTwin(b.player, id, b.inStep)
		x.player = x.pair.Other()
	} else {
		x.query, x.player = written, player.New()
		x.pair = player.NewPair(b.player, x.player, b.inStep)
		x.damaged = func(err error) { b.setLink(b.page.panes.Say("link.damaged", err.Error())) }
		x.server = b.dial(receiver{opened: x.begun, text: x.takeMessage, frame: x.takeEvents, closed: func() {}})
	}
	b.comparison = x
	b.page.stale = true
	b.wake()
	return true
}

// endComparison removes the second run.
func (b *Bridge) endComparison() {
	if x := b.comparison; x != nil {
		if x.server != nil {
			x.server.end()
		}
		x.pair.End()
		b.comparison, b.page.stale = nil, true
	}
}

// leaveBranch removes the second run if it is another branch of the first, which is being left.
func (b *Bridge) leaveBranch() {
	if b.comparison != nil && b.comparison.pair.Twin() {
		b.endComparison()
	}
}

// setInStep sets how the two are kept in step.
func (b *Bridge) setInStep(by string) bool {
	switch to := player.InStep(by); to {
	case player.ByTime, player.ByHandOver:
		b.inStep, b.page.stale = to, true
		if b.comparison != nil {
			b.comparison.pair.By = to
		}
		return true
	}
	return false
}

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
	if err != nil || x.of.comparison != x {
		return
	}
	switch m := m.(type) {
	case *protocol.Run:
		if m.Run != x.run {
			x.run, x.repeats = m.Run, repeats{}
			x.begin(player.Run{ID: m.Run, Header: m.Header})
		}
		x.putRows(m.Branches)
	case *protocol.Branch:
		x.check(x.player.PutBranch(m.Row, nil))
	case *protocol.Refusal:
		x.takeRefusal(m)
	}
	x.of.page.stale = true
}

// takeRefusal opens an evicted run again, and retries later if the server is too busy.
func (x *comparison) takeRefusal(m *protocol.Refusal) {
	b := x.of
	if m.Do == protocol.Resume {
		x.run = ""
		x.ask()
		return
	}
	b.remark, b.page.stale = b.page.panes.Say("beside.refused", b.page.panes.Says(m.Why)), true
	if wait := time.Duration(m.AgainMS) * time.Millisecond; wait > 0 && x.run == "" {
		after(wait, func() {
			b.inbox.put(func() {
				if b.comparison == x && x.run == "" {
					x.ask()
				}
			})
			b.wake()
		})
	}
}

// KeepComparing moves the second run along with the first. Call it before drawing.
func (b *Bridge) KeepComparing() {
	x := b.comparison
	if x == nil {
		return
	}
	if b.file || b.player.Run().Live() {
		b.endComparison()
		return
	}
	if x.server != nil && x.run != "" {
		for _, r := range x.repeats.follow(b.player, x.pair) {
			x.server.send(r)
		}
	}
	x.pair.Keep()
}

// Judging reports whether a run on the stage is still being judged.
func (b *Bridge) Judging() bool {
	return b.player.Judging() || b.comparison != nil && b.comparison.player.Judging()
}

// Pictures returns the pictures of two runs: see Apart.
func (b *Bridge) Pictures() *[2]scene.Picture {
	return panes.Pictures(b.player, b.comparison.pair, b.page.panes.Say)
}

// markComparison shows the page which run is second, and its position.
func (b *Bridge) markComparison() {
	x := b.comparison
	if x == nil {
		b.page.mark("beside", "")
		return
	}
	b.page.mark("beside", x.written)
	b.page.mark("besideSeq", strconv.Itoa(int(x.player.Seq())))
	b.page.mark("besideBranch", strconv.Itoa(x.player.Branch()))
}

// Apart reports whether two runs are on the stage, and the version of the second.
func (b *Bridge) Apart() (bool, uint64) {
	x := b.comparison
	if x == nil || x.player.History() == nil || b.player.History() == nil {
		return false, 0
	}
	return true, x.player.Version()
}

// comparisonFacts returns what the panes say about the second run.
func (b *Bridge) comparisonFacts() (f panes.Beside) {
	f.InStep = string(b.inStep)
	x := b.comparison
	if x == nil {
		return f
	}
	f.Shown = x.written
	if there, _ := b.Apart(); there {
		f.Name = panes.Captions([2]*player.Player{b.player, x.player}, b.page.panes.Say)[1]
		f.Parted, f.At, _ = x.pair.Parted()
	}
	return f
}

// here translates a hit to the first run, which the panes and commands are about.
func (b *Bridge) here(hit display.Hit) display.Hit {
	if hit.Picture == 0 || b.comparison == nil {
		return hit
	}
	hit.ID = b.comparison.pair.Here(hit.ID)
	if hit.Part == display.MessagePart { // it may be under way only in that run
		hit.Part, hit.Message = display.Whole, 0
	}
	return hit
}
