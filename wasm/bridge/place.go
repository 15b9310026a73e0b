//go:build js && wasm

package bridge

import (
	"cmp"
	"net/url"
	"strconv"

	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// goToPlace goes to where the page is to begin in a run that is new to it.
func (s *source) goToPlace(m *protocol.Run) {
	again := s.address.Run == m.Run // the frame was reloaded
	if l := s.address.Link; l.Trace == "" && !again {
		if l.Select != "" {
			s.player.Select(l.Select)
		}
		if l.Set {
			s.player.Show(l.At, l.Seq)
		}
	}
	if s.toEdge && s.player.Log.Run().Live() {
		s.player.ToEnd()
	}
	s.toEdge = false
	if s.back == nil && len(s.address.Faults) > 0 && !again {
		s.back = ResumptionTo(s.address.Faults, s.address.Link)
	}
	s.makeBranch()
	if again {
		s.restore()
	}
	s.meet(s.page.reading())
	if s.address.Beside != "" {
		s.beside.compare(s.address.Beside)
		s.address.Beside = ""
	}
}

// restore goes to the position before the frame was reloaded.
func (s *source) restore() {
	s.player.Select(s.address.Selected)
	s.player.Do("branch", s.address.Branch)
	s.player.Follow(s.address.Was)
}

// meet goes to the step that the reader has turned to on the still pictures. Its query also has what stands beside the
// run there. It's empty if the stage is to begin elsewhere.
func (s *source) meet(query string) bool {
	if query == "" || s.unanswered() {
		return false
	}
	at, _ := url.ParseQuery(query)
	s.back, s.address.Link, s.address.Beside = nil, link.Moment{}, ""
	s.player.Do("branch", "0")
	s.player.Do("goto-step", at.Get("step"))
	s.beside.setInStep(at.Get("in-step"))
	return s.beside.compare(at.Get("beside"))
}

// makeBranch goes to the position on the branch to go to. If that isn't there, it asks once for the next on the way.
// It reports false if that was refused before.
func (s *source) makeBranch() bool {
	if s.back == nil || s.back.Go(s.player) {
		s.back = nil
		return true
	}
	branch, fault := s.back.Way(s.player.Log.Branches())
	switch key := strconv.Itoa(branch) + fault; {
	case key == s.sought:
		if s.denied {
			s.back = nil
		}
		return !s.denied
	case s.server.send(protocol.Request{Do: protocol.Inject, Branch: branch, Fault: fault}):
		s.sought, s.denied = key, false
	default:
		s.server.reach()
	}
	return true
}

// place returns the page's position, also that before a reload, or nil if it can't be restored.
func (s *source) place() *Resumption {
	w := &s.address
	switch {
	case w.Run == "" && s.computed():
		return ResumptionOf(s.player)
	case w.Run != "" && w.Host.Traits().Computed && w.Zoo == "" && w.Path == "":
		return w.was()
	}
	return nil
}

// reopen opens the run from its start, with the faults that lead to the page's branch, and goes to the page's position.
// If that can't be restored, it says so.
func (s *source) reopen() {
	back, lost := cmp.Or(s.back, s.place()), s.forget()
	s.open()
	s.back = back
	s.sayRepeated(back == nil)
	s.lose(lost)
}
