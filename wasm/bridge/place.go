//go:build js && wasm

package bridge

import (
	"cmp"
	"net/url"

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
	if was := s.address.Was; was.Seq > 0 {
		s.player.Show(was.At, was.Seq)
	} else {
		s.player.Seek(was.At)
	}
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

// makeBranch repeats the faults of the branch to go to, unless their branches are there.
func (s *source) makeBranch() {
	if s.back == nil {
		return
	}
	faults := s.back.Faults()
	for _, f := range faults[min(len(faults), len(s.player.Log.Branches())-1):] {
		if !s.server.send(f) {
			s.server.reach()
		}
	}
	s.resume()
}

// resume goes to the page's position before the run was reopened, if that has arrived.
func (s *source) resume() {
	if s.back != nil && s.back.Go(s.player) {
		s.back = nil
	}
}

// place returns the page's position, also that before a reload, or nil if it can't be restored.
func (s *source) place() *Resumption {
	w := s.address
	switch {
	case w.Run == "" && s.computed():
		return ResumptionOf(s.player)
	case w.Run != "" && w.Host.Traits().Computed && w.Zoo == "" && w.Path == "":
		return ResumptionTo(w.WasFaults, link.Moment{Place: w.Was, Select: w.Selected})
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
