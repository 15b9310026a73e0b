//go:build js && wasm

package bridge

import (
	"syscall/js"

	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// openFile shows a trace file instead of the current run, unless something is wrong with it. The engine reads it. Until
// it's shown, the run goes on.
func (s *source) openFile(buffer js.Value, name string) {
	s.endReading()
	var reading transport
	reading = s.engine.dial(s.addAtOnce, receiver{
		opened: func() {
			if s.server == reading {
				s.begun()
				return
			}
			reading.send(protocol.Request{Do: protocol.File, Name: s.engine.handOver(buffer)})
		},
		text: func(text []byte) {
			if s.server == reading {
				s.takeMessage(text)
				return
			}
			switch m, _ := protocol.ParseMessage(text); m := m.(type) {
			case *protocol.Run:
				s.showFile(m, name)
			case *protocol.Refusal:
				s.refuseFile(s.page.panes.Says(m.Why))
			}
		},
		frame: s.takeFrame,
		closed: func() {
			if s.server == reading {
				s.close()
				return
			}
			s.refuseFile(s.page.panes.Say("engine.restarted"))
		},
		failed: func(why string) {
			if s.server == reading {
				s.close()
				return
			}
			s.refuseFile(why)
		},
	})
	s.reading = reading
}

// addAtOnce does what would be left for Update: a page that shows a file may draw no frames, since the stage is out of
// sight.
func (s *source) addAtOnce(work func()) {
	work()
	s.added()
}

func (s *source) endReading() {
	if s.reading != nil {
		s.reading.end()
		s.reading = nil
	}
}

func (s *source) refuseFile(why string) {
	s.endReading()
	s.page.tell("zkviz-file", map[string]any{"error": why})
	if s.address.Reopens { // there is the page's own run
		s.address.Reopens = false
		if !s.address.File {
			s.open()
		}
	}
}

func (s *source) showFile(m *protocol.Run, name string) {
	s.stay()
	s.server.end()
	s.server, s.reading = s.reading, nil
	s.file, s.name, s.back, s.page.remark, s.page.wanted, s.address.Run = true, name, nil, "", "", ""
	s.page.setLink("")
	s.leave()
	s.follows = true
	s.begin(player.Run{ID: m.Run, Header: m.Header, File: true})
	s.page.panes.Forget()
	s.putRows(m.Branches)
	s.page.tell("zkviz-file", map[string]any{"error": ""})
	if !s.address.Reopens {
		s.toLinked()
		return
	}
	s.address.Reopens = false
	s.restore()
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
