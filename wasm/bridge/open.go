//go:build js && wasm

package bridge

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/wasm/player"
)

// openFile shows a trace file in place of what is shown, unless something is wrong with it. What the server sends
// meanwhile is left aside.
func (b *Bridge) openFile(text []byte) {
	f, err := OpenFile(text)
	if err != nil {
		b.refuseFile(err)
		return
	}
	b.reading = f
	b.readFile(f)
}

// readFile reads on, and lets the browser do other things in between.
func (b *Bridge) readFile(f *File) {
	if b.reading != f {
		return // another was opened
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

// atOnce is how many events of a file are shown in one go.
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

// addOfFile adds to what is shown the events of a file that are not, and lets the browser do other things in between.
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

// What a page shows of a file: one of the recipe that the page is about, or of another.
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
