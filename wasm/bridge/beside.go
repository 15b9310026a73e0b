//go:build js && wasm

package bridge

import (
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/protocol"
	"github.com/zkviz/zkviz/wasm/panes"
	"github.com/zkviz/zkviz/wasm/player"
	"github.com/zkviz/zkviz/wasm/scene"
)

// beside is the run that stands beside the one on the stage: another of the server's, or another branch of it.
type beside struct {
	feed // of another run; a branch has no server
	of   *Bridge
	pair *player.Pair

	written string // what the page asked for
	query   string // of another run
	run     string // its name, once it is known
	repeats repeats
}

// ofBranch is how a command begins that puts another branch beside what is shown. Others name a scenario by its query.
const ofBranch = "branch "

// setBeside puts what is written beside the run on the stage, or nothing.
func (b *Bridge) setBeside(written string) bool {
	if b.beside != nil && b.beside.written == written {
		return true
	}
	b.endBeside()
	switch {
	case written == "":
		return true
	case b.file, b.address.Host.Traits().RealTime, b.player.Run().Live():
		b.remark = b.page.panes.Say("beside.simulated")
		return false
	}
	x := &beside{of: b, written: written}
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
	b.beside = x
	b.page.stale = true
	b.wake()
	return true
}

// endBeside takes away what stands beside the run.
func (b *Bridge) endBeside() {
	if x := b.beside; x != nil {
		if x.server != nil {
			x.server.end()
		}
		x.pair.End()
		b.beside, b.page.stale = nil, true
	}
}

// leaveTwin takes away another branch of a run that is left.
func (b *Bridge) leaveTwin() {
	if b.beside != nil && b.beside.pair.Twin() {
		b.endBeside()
	}
}

// setInStep sets what the two have in step.
func (b *Bridge) setInStep(by string) bool {
	switch to := player.InStep(by); to {
	case player.ByTime, player.ByHandOver:
		b.inStep, b.page.stale = to, true
		if b.beside != nil {
			b.beside.pair.By = to
		}
		return true
	}
	return false
}

func (x *beside) begun() {
	if x.run != "" {
		x.goOn(x.run)
		return
	}
	x.ask()
}

func (x *beside) ask() { x.server.send(protocol.Request{Do: protocol.Open, Query: x.query}) }

// takeMessage takes a message. One that cannot be read is left out.
func (x *beside) takeMessage(text []byte) {
	m, err := protocol.ParseMessage(text)
	if err != nil || x.of.beside != x {
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

// takeRefusal opens a run anew that is gone, and tries again what the server is too busy for.
func (x *beside) takeRefusal(m *protocol.Refusal) {
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
				if b.beside == x && x.run == "" {
					x.ask()
				}
			})
			b.wake()
		})
	}
}

// KeepBeside has the run beside follow the one on the stage. Call it before what is shown is looked at.
func (b *Bridge) KeepBeside() {
	x := b.beside
	if x == nil {
		return
	}
	if b.file || b.player.Run().Live() {
		b.endBeside()
		return
	}
	if x.server != nil && x.run != "" {
		for _, r := range x.repeats.follow(b.player, x.pair) {
			x.server.send(r)
		}
	}
	x.pair.Keep()
}

// Judging reports whether what is on the stage is still to be judged.
func (b *Bridge) Judging() bool {
	return b.player.Judging() || b.beside != nil && b.beside.player.Judging()
}

// Pictures are what is on the stage if two runs are: see Apart.
func (b *Bridge) Pictures() *[2]scene.Picture {
	return panes.Pictures(b.player, b.beside.pair, b.page.panes.Say)
}

// markBeside shows the page what stands beside the run, and where that is.
func (b *Bridge) markBeside() {
	x := b.beside
	if x == nil {
		b.page.mark("beside", "")
		return
	}
	b.page.mark("beside", x.written)
	b.page.mark("besideSeq", strconv.Itoa(int(x.player.Seq())))
	b.page.mark("besideBranch", strconv.Itoa(x.player.Branch()))
}

// Apart reports whether two runs are on the stage, and a version of what the second shows.
func (b *Bridge) Apart() (bool, uint64) {
	x := b.beside
	if x == nil || x.player.History() == nil || b.player.History() == nil {
		return false, 0
	}
	return true, x.player.Version()
}

// besideFacts is what the panes say of the run beside.
func (b *Bridge) besideFacts() (f panes.Beside) {
	f.InStep = string(b.inStep)
	x := b.beside
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

// here is what was hit, as something of the run that the panes and commands are about.
func (b *Bridge) here(hit scene.Hit) scene.Hit {
	if hit.Picture == 0 || b.beside == nil {
		return hit
	}
	hit.ID = b.beside.pair.Here(hit.ID)
	if hit.Part == scene.MessagePart { // which may be on its way in that run alone
		hit.Part, hit.Message = scene.Whole, 0
	}
	return hit
}
