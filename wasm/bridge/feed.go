//go:build js && wasm

package bridge

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// feed is a run that arrives from the server into a player.
type feed struct {
	player  *player.Player
	server  transport
	decoder packed.Decoder
	events  []event.Event // memory for those of the next frame
	failing int           // resumptions that brought nothing new
	damaged func(error)   // called with an inconsistency

	computing *protocol.Progress // how far the computation is that a request waits for; nil for none
}

// goOn requests what is missing of a run.
func (f *feed) goOn(run string) {
	from := map[int]event.Seq{}
	for id, n := range f.player.Log.Have() {
		from[id] = event.Seq(n + 1)
	}
	f.server.send(protocol.Request{Do: protocol.Resume, Run: run, From: from})
}

// begin starts another run.
func (f *feed) begin(r player.Run) {
	f.player.Open(r)
	f.decoder = packed.Decoder{}
}

// putRows adds all branches.
func (f *feed) putRows(rows []protocol.Row) {
	for _, row := range rows {
		f.check(f.player.PutBranch(row, nil))
	}
}

// takeEvents handles a frame of events.
func (f *feed) takeEvents(frame []byte) {
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
