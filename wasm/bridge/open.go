//go:build js && wasm

package bridge

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// openFile shows a trace file instead of the current run, unless something is wrong with it. Meanwhile it ignores what
// the server sends.
func (b *Bridge) openFile(text []byte) {
	f, err := OpenFile(text)
	if err != nil {
		b.refuseFile(err)
		return
	}
	b.reading = f
	b.readFile(f)
}

// readFile reads on, and gives the browser a turn between pieces.
func (b *Bridge) readFile(f *File) {
	if b.reading != f {
		return // another file was opened
	}
	until := Now() + drainFor
	switch all, err := f.Read(func() bool { return Now() < until }); {
	case err != nil:
		b.refuseFile(err)
	case all:
		b.showFile(f)
	default:
		after(0, func() { b.readFile(f) })
	}
}

func (b *Bridge) refuseFile(err error) {
	b.page.tell("zkviz-file", map[string]any{"error": err.Error()})
}

// atOnce is the number of events of a file added in one go.
const atOnce = 2000

func (b *Bridge) showFile(f *File) {
	b.file, b.back, b.remark, b.address.Run = true, nil, "", ""
	b.setLink("")
	b.player.Open(player.Run{ID: "file", Header: f.Header, File: true})
	b.page.panes.Forget()
	b.check(b.player.PutBranch(player.Branch{Parent: -1, From: 1, Events: event.Seq(len(f.Events)), Ended: true}, nil))
	b.page.tell("zkviz-file", map[string]any{"error": ""})
	b.addOfFile(f, f.Events)
}

// addOfFile adds a file's events to the player, and gives the browser a turn between pieces.
func (b *Bridge) addOfFile(f *File, events []event.Event) {
	if b.reading != f {
		return // it was closed, or another was opened
	}
	n := min(len(events), atOnce)
	b.check(b.player.Append(0, events[:n]))
	b.goToMoment()
	b.page.stale = true
	b.Flush(false)
	b.wake()
	if n < len(events) {
		after(0, func() { b.addOfFile(f, events[n:]) })
	}
}

// Kinds of files for a page: of its own recipe, or of another.
const (
	ownFile   = "own"
	otherFile = "other"
)

func (b *Bridge) ofFile() string {
	switch {
	case !b.file:
		return ""
	case b.address.Query != "" && reader("?"+b.address.Query)("recipe") == b.player.Run().Header.Recipe:
		return ownFile
	}
	return otherFile
}
