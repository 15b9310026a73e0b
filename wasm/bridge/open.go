//go:build js && wasm

package bridge

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// openFile shows a trace file instead of the current run, unless something is wrong with it. Meanwhile it ignores what
// the server sends.
func (s *source) openFile(text []byte) {
	f, err := OpenFile(text)
	if err != nil {
		s.refuseFile(err)
		return
	}
	s.reading = f
	s.readFile(f)
}

// readFile reads on, and gives the browser a turn between pieces.
func (s *source) readFile(f *File) {
	if s.reading != f {
		return // another file was opened
	}
	until := Now() + drainFor
	switch all, err := f.Read(func() bool { return Now() < until }); {
	case err != nil:
		s.refuseFile(err)
	case all:
		s.showFile(f)
	default:
		after(0, func() { s.readFile(f) })
	}
}

func (s *source) refuseFile(err error) {
	s.page.tell("zkviz-file", map[string]any{"error": err.Error()})
}

// atOnce is the number of events of a file added in one go.
const atOnce = 2000

func (s *source) showFile(f *File) {
	s.file, s.back, s.page.remark, s.address.Run = true, nil, "", ""
	s.page.setLink("")
	s.player.Open(player.Run{ID: "file", Header: f.Header, File: true})
	s.page.panes.Forget()
	s.check(s.player.PutBranch(player.Branch{Parent: -1, From: 1, Events: event.Seq(len(f.Events)), Ended: true}, nil))
	s.page.tell("zkviz-file", map[string]any{"error": ""})
	s.toLinked()
	s.addOfFile(f, f.Events)
}

// addOfFile adds a file's events to the player, and gives the browser a turn between pieces.
func (s *source) addOfFile(f *File, events []event.Event) {
	if s.reading != f {
		return // it was closed, or another was opened
	}
	n := min(len(events), atOnce)
	s.check(s.player.Append(0, events[:n]))
	s.check(s.player.PutVerdict(f.Judge(events[:n])))
	s.goToMoment()
	s.page.stale = true
	s.added()
	if n < len(events) {
		after(0, func() { s.addOfFile(f, events[n:]) })
	}
}

// Kinds of files for a page: of its own recipe, or of another.
const (
	ownFile   = "own"
	otherFile = "other"
)

// recipe returns the recipe that the page is of, or "".
func (s *source) recipe() string { return WithFaults(s.address.Query, nil).Get("recipe") }

func (s *source) ofFile() string {
	switch {
	case !s.file:
		return ""
	case s.address.Query != "" && s.recipe() == s.player.Log.Run().Header.Recipe:
		return ownFile
	}
	return otherFile
}
