package bridge

import (
	"cmp"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// feed is a run that arrives over a connection into a player. Over another connection it goes on in one way: it asks
// for what is missing of the run. If that isn't there any more, it asks for the same run again, from what is missing
// on, and injects its faults again. The log stays where it is meanwhile.
type feed struct {
	player  *player.Player
	server  transport
	query   string // the run's scenario, as written by who computed it; "" for none
	decoder packed.Decoder
	events  []event.Event // memory for those of the next frame
	failing int           // resumptions that brought nothing new
	damaged func(error)   // called with an inconsistency
	ask     func()        // requests the run

	follows bool // the run that is shown comes over this connection
	repeats bool // the run that is shown was requested again
	redoing int  // its faults that are being injected again
	asking  bool // a run was requested
	stopped bool // there will be none unless the reader tries again

	asked   int                // the reader's faults that are being carried out
	pending []protocol.Request // the reader's, until the run goes on

	computing *protocol.Progress // how far the computation is that a request waits for; nil for none
}

// mostRedone is the maximum number of faults repeated, and mostPending that of requests that wait meanwhile: the server
// limits bursts, and there are other requests.
const (
	mostRedone  = protocol.RequestBurst - 10
	mostPending = 6
)

// settle forgets what was being computed: the answer is there, or there won't be one.
func (f *feed) settle() { f.computing = nil }

// goOn requests what is missing of a run.
func (f *feed) goOn(run string) {
	f.request(protocol.Request{Do: protocol.Resume, Run: run, From: f.missing()})
}

// missing returns the first event of each branch that isn't there.
func (f *feed) missing() map[int]event.Seq {
	from := map[int]event.Seq{}
	for id, n := range f.player.Log.Have() {
		from[id] = event.Seq(n + 1)
	}
	return from
}

// open requests a run. If one is shown, it's that one: only what is missing of it comes.
func (f *feed) open(r protocol.Request) {
	if f.repeats = f.player.Log.Run().ID != ""; f.repeats {
		r.From = f.missing()
	}
	f.request(r)
}

func (f *feed) request(r protocol.Request) {
	f.follows, f.stopped = false, false
	f.asking = f.server.send(r)
	if !f.asking {
		f.server.reach()
	}
}

// repeatable reports whether the run that is shown can be computed again, with all of its branches.
func (f *feed) repeatable() bool {
	r := f.player.Log.Run()
	return r.ID != "" && !r.File && f.query != "" && r.Header.Host.Traits().Computed &&
		len(f.player.Log.Branches()) <= mostRedone+1
}

// rests reports whether the run is there as a whole, and can be computed again for the next request.
func (f *feed) rests() bool {
	if f.stopped {
		return true
	}
	if !f.follows || f.redoing+f.asked+len(f.pending) > 0 || f.computing != nil || !f.repeatable() {
		return false
	}
	have := f.player.Log.Have()
	for _, b := range f.player.Log.Branches() {
		if !b.Ended || have[b.ID] < int(b.Events) {
			return false
		}
	}
	return f.player.Log.Shown().Judged()
}

// send sends a request of the reader's about the run. If that goes on over another connection, the request waits.
// It's false if there is none.
func (f *feed) send(r protocol.Request) bool {
	if f.follows && f.server.send(r) {
		f.sent(r)
		return true
	}
	if f.stopped {
		f.ask()
	}
	if len(f.pending) == mostPending || !f.server.reach() {
		return false
	}
	f.pending = append(f.pending, r)
	return true
}

// sent counts the faults whose branch is awaited.
func (f *feed) sent(r protocol.Request) {
	if r.Do == protocol.Inject && !f.player.Log.Run().Live() {
		f.asked++
	}
}

// forget drops what waits, and returns how many faults of the reader's that were.
func (f *feed) forget() (faults int) {
	for _, r := range f.pending {
		f.sent(r)
	}
	faults = f.asked
	f.asked, f.pending = 0, nil
	return faults
}

// refused notes that a request was refused. It returns how many faults of the reader's came to nothing with it.
func (f *feed) refused(do string) (lost int) {
	f.settle()
	switch do {
	case protocol.Inject:
		f.asked = max(f.asked-1, 0)
	case protocol.Contend, protocol.Watches, protocol.WhatIf:
	default:
		f.stop()
		lost = f.forget()
	}
	return lost
}

// stop notes that nobody computes the run that was requested.
func (f *feed) stop() {
	f.close()
	f.repeats, f.stopped = false, true
}

// close notes that the connection is lost.
func (f *feed) close() {
	f.settle()
	f.follows, f.asking, f.redoing = false, false, 0
}

// leave makes room for another run.
func (f *feed) leave() {
	f.close()
	f.repeats = false
	f.forget()
	f.player.Open(player.Run{})
}

// begin starts another run.
func (f *feed) begin(r player.Run) {
	f.player.Open(r)
	f.decoder = packed.Decoder{}
}

// takeRun starts or continues a run. It reports whether it's another one than that which is shown, and how many faults
// of the reader's came to nothing.
func (f *feed) takeRun(m *protocol.Run, r player.Run) (fresh bool, lost int) {
	f.settle()
	again := f.repeats
	fresh = m.Run != f.player.Log.Run().ID && !(again && f.same(m))
	f.follows, f.repeats, f.asking, f.redoing = true, false, false, 0
	switch {
	case fresh:
		if again {
			lost = f.forget()
		}
		f.begin(r)
		f.putRows(m.Branches)
		if again { // what it has before that doesn't come
			f.goOn(m.Run)
		}
	case m.Run != f.player.Log.Run().ID:
		f.player.GoOn(m.Run)
		f.redo()
	default:
		f.putRows(m.Branches)
	}
	f.query = cmp.Or(m.Query, f.query)
	lost += f.asked
	f.asked = 0
	if f.follows {
		for _, r := range f.pending {
			f.server.send(r)
			f.sent(r)
		}
		f.pending = nil
	}
	return fresh, lost
}

// same reports whether a run is the one that is shown: one seed gives one log.
func (f *feed) same(m *protocol.Run) bool {
	rows := f.player.Log.Branches()
	return m.Query == f.query && len(rows) > 0 && len(m.Branches) == 1 && m.Branches[0] == rows[0]
}

// redo creates the branches again, in order, so that each gets its old number.
func (f *feed) redo() {
	for _, b := range f.player.Log.Branches()[1:] {
		f.server.send(protocol.Request{Do: protocol.Inject, Branch: b.Parent, Fault: b.Fault})
		f.redoing++
	}
}

// takeRow takes a branch. It reports false if it isn't the one that it was before.
func (f *feed) takeRow(row protocol.Row, steps []player.Step) bool {
	if f.redoing > 0 {
		f.redoing--
		rows := f.player.Log.Branches()
		return row.ID < len(rows) && row == rows[row.ID]
	}
	known := len(f.player.Log.Branches())
	f.check(f.player.PutBranch(row, steps))
	f.watch(known)
	return true
}

// putRows adds all branches.
func (f *feed) putRows(rows []protocol.Row) {
	known := len(f.player.Log.Branches())
	for _, row := range rows {
		f.check(f.player.PutBranch(row, nil))
	}
	f.watch(known)
}

// watch shows the last branch if it's new and the reader has asked for it.
func (f *feed) watch(known int) {
	if n := len(f.player.Log.Branches()); f.asked > 0 && n > known {
		f.asked -= min(f.asked, n-known)
		f.player.Watch(n - 1)
	}
}

// takeEvents handles a frame of events.
func (f *feed) takeEvents(frame []byte) {
	if !f.follows {
		return
	}
	branch, events, err := protocol.ParseFrameInto(f.events, frame, &f.decoder)
	f.events = events // the player copies them
	whole := f.check(err)
	if f.check(f.player.Append(branch, events)) && whole {
		f.failing = 0
	}
}

// check handles an inconsistency in what the server sent: it requests what is missing, up to three times, and reports
// it.
func (f *feed) check(err error) bool {
	if err == nil {
		return true
	}
	f.damaged(err)
	if f.failing++; f.failing < 4 {
		f.server.again()
	}
	return false
}
