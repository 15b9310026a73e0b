//go:build js && wasm

package bridge

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// Beside shows a second run beside the first, or none.
type Beside struct {
	source *source
	page   *page
	wake   func()        // called when Update and Draw have something to do
	inStep player.InStep // how the two are kept in step
	second *comparison   // nil for none
}

// compare shows the requested run together with the first one, or none.
func (d *Beside) compare(written string) bool {
	if d.second != nil && d.second.written == written {
		return true
	}
	d.end()
	switch {
	case written == "":
		return true
	case d.source.file, d.source.address.Host.Traits().RealTime, d.source.player.Log.Run().Live():
		d.page.remark = d.page.panes.Say("beside.simulated")
		return false
	}
	x := &comparison{of: d, written: written}
	if text, ok := strings.CutPrefix(written, ofBranch); ok {
		id, err := strconv.Atoi(text)
		if err != nil || id < 0 || id >= player.MaxBranches {
			return false
		}
		x.pair = player.NewTwin(d.source.player, id, d.inStep)
		x.player = x.pair.Other()
	} else {
		x.wanted, x.player = written, player.New()
		x.pair = player.NewPair(d.source.player, x.player, d.inStep)
		x.damaged = d.page.damaged
		x.ask = func() { x.open(protocol.Request{Do: protocol.Open, Query: written}) }
		d.connect(x)
	}
	d.second = x
	d.page.stale = true
	d.wake()
	return true
}

// connect sets up the transport of a run that isn't a branch of the first.
func (d *Beside) connect(x *comparison) {
	x.server = d.source.dial(receiver{
		opened: x.begun, text: x.takeMessage, frame: x.takeEvents, closed: x.close,
		failed: func(string) { x.stop() }, lacks: d.source.lacks, rests: x.rests,
	})
}

// again tries again to get the second run, if something went wrong.
func (d *Beside) again() {
	if x := d.second; x != nil && x.stopped {
		x.ask()
	}
}

// refuse stops waiting for a second run that nobody can compute.
func (d *Beside) refuse() {
	if x := d.second; x != nil && x.server != nil && !x.follows {
		x.refused, x.stopped = true, true
	}
}

// redial connects the second run to the engine, which has taken the server's place.
func (d *Beside) redial() {
	if x := d.second; x != nil && x.server != nil {
		x.server.end()
		x.close()
		d.connect(x)
	}
}

// end removes the second run.
func (d *Beside) end() {
	if x := d.second; x != nil {
		if x.server != nil {
			x.server.end()
		}
		x.pair.End()
		d.second, d.page.stale = nil, true
	}
}

// leaveBranch removes the second run if it is another branch of the first, which is being left.
func (d *Beside) leaveBranch() {
	if d.second != nil && d.second.pair.Twin() {
		d.end()
	}
}

// setInStep sets how the two are kept in step.
func (d *Beside) setInStep(by string) bool {
	switch to := player.InStep(by); to {
	case player.ByTime, player.ByHandOver:
		d.inStep, d.page.stale = to, true
		if d.second != nil {
			d.second.pair.By = to
		}
		return true
	}
	return false
}

// keep moves the second run along with the first. Call it before drawing.
func (d *Beside) keep() {
	x := d.second
	if x == nil {
		return
	}
	if d.source.file || d.source.player.Log.Run().Live() {
		d.end()
		return
	}
	if x.server != nil && x.player.Log.Run().ID != "" {
		for _, r := range x.repeats.follow(d.source.player, x.pair) {
			x.send(r)
		}
	}
	x.pair.Keep()
}

// Pictures returns the pictures of two runs: see Apart.
func (d *Beside) Pictures() *[2]scene.Picture {
	names, rule := d.names()
	return panes.Pictures(d.source.player, d.second.pair, names, rule, d.page.panes.Say)
}

// names returns the names of the two runs, what the lesson calls them, or else what differs; and the rule that its step
// is about.
func (d *Beside) names() (names [2]string, rule string) {
	names, rule, of := player.RunNames(d.page.marked("names"))
	if of == d.second.written && of != "" {
		return names, rule
	}
	return panes.Captions([2]*player.Player{d.source.player, d.second.player}, d.page.panes.Say), ""
}

// mark shows the page which run is second, and its position.
func (d *Beside) mark() {
	x := d.second
	if x == nil && !d.page.ready() {
		return // the page knows what will be there, and has made room for it
	}
	if x == nil {
		d.page.mark("beside", "")
		return
	}
	d.page.mark("beside", x.written)
	d.page.mark("besideSeq", strconv.Itoa(int(x.player.Head.Seq())))
	d.page.mark("besideBranch", strconv.Itoa(x.player.Log.Branch()))
}

// Apart reports whether two runs are on the stage, and the version of the second.
func (d *Beside) Apart() (bool, uint64) {
	x := d.second
	if x == nil || x.player.Log.Shown().History() == nil || d.source.player.Log.Shown().History() == nil {
		return false, 0
	}
	return true, x.player.Version()
}

// awaited reports whether the second run of a lesson's step is still on its way.
func (d *Beside) awaited() bool {
	x := d.second
	if x == nil || x.server == nil || x.refused || !d.source.player.Log.Run().Lesson {
		return false
	}
	t := x.player.Log.Shown()
	return t.History() == nil || t.History().Len() < t.All()
}

// facts returns what the panes say about the second run.
func (d *Beside) facts() (f panes.Beside) {
	f.InStep = string(d.inStep)
	x := d.second
	if x == nil {
		return f
	}
	f.Shown = x.written
	if there, _ := d.Apart(); there {
		names, _ := d.names()
		f.Name = names[1]
		f.Parted, f.At, _ = x.pair.Parted()
	}
	return f
}

// here translates a hit to the first run, which the panes and commands are about.
func (d *Beside) here(hit display.Hit) display.Hit {
	if hit.Picture == 0 || d.second == nil {
		return hit
	}
	hit.ID = d.second.pair.Here(hit.ID)
	if hit.Part == display.MessagePart { // it may be under way only in that run
		hit.Part, hit.Message = display.Whole, 0
	}
	return hit
}
