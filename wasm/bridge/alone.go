//go:build js && wasm

package bridge

import (
	"time"

	"github.com/zkviz/zkviz/engine/run/protocol"
)

const (
	// aloneAfter is how long the server may be away before the engine goes on with a simulated run in its place.
	aloneAfter = 4 * time.Second
	// prepareAfter is how long a simulated run has been there before the page downloads the engine, for that case.
	prepareAfter = 8 * time.Second
)

// computed reports whether the engine could compute the run that is shown: one seed gives one log.
func (s *source) computed() bool {
	r := s.player.Log.Run()
	return r.ID != "" && r.Header.Host.Traits().Computed && s.query != "" && !s.file
}

// prepare downloads the engine in a while, if it could be needed.
func (s *source) prepare() {
	if _, files := onFiles(); files || s.alone || !s.computed() {
		return
	}
	after(prepareAfter, func() {
		if s.computed() {
			s.engine.prepare()
		}
	})
}

// goAloneLater lets the engine take the server's place if that stays away. It tries once, until the server is back.
func (s *source) goAloneLater() {
	if s.leaving != nil || s.alone || !s.computed() {
		return
	}
	waiting := &pause{}
	s.leaving = waiting
	after(aloneAfter, func() {
		if s.leaving == waiting {
			s.post(func() {
				s.goAlone(s.page.panes.Say("link.alone", host()), func(why string) {
					s.page.setLink(s.page.panes.Say("link.lost", host()) + ". " + why)
				})
			})
		}
	})
}

// goAlone connects to the engine. Once it's there, it takes the server's place for good, and the page says so.
func (s *source) goAlone(says string, failed func(why string)) {
	s.leaving = s.engine.dial(s.post, receiver{
		opened: func() {
			if s.alone {
				s.says = s.page.panes.Say("engine.restarted")
				s.begun()
				return
			}
			to := s.leaving
			s.leaving, s.alone, s.says = nil, true, says
			s.server.end()
			s.server = to
			s.begun()
			s.beside.redial()
			s.exploration.redial()
		},
		text: s.takeMessage, frame: s.takeFrame, closed: func() {}, failed: failed,
	})
}

// lacks lets the engine answer what the files of a site have no answer for, and go on from there. It takes one request
// of the reader's at a time.
func (s *source) lacks(r protocol.Request) bool {
	if s.leaving != nil {
		return false
	}
	if r.Do == protocol.Resume { // of a run that an engine had, before the frame was reloaded
		s.reopen("")
		return true
	}
	if s.back == nil && r.Do != protocol.Open { // those are requested again anyway
		s.pending = &r
	}
	s.page.setLink(s.page.panes.Say("engine.loading"))
	s.goAlone("", s.goWithout)
	return true
}

// lacksOther lets the engine take over for a connection that isn't the run's own, which requests again there.
func (s *source) lacksOther(protocol.Request) bool {
	return s.lacks(protocol.Request{Do: protocol.Open})
}

// goWithout leaves everything as it is, since there is no engine, and says what to do.
func (s *source) goWithout(why string) {
	if s.pending != nil && s.pending.Do == protocol.Inject {
		s.undone()
	}
	s.leaving, s.pending, s.asked = nil, nil, false
	s.page.setLink("")
	s.page.remark, s.page.told = s.page.panes.Say("engine.needed", why), true
	if s.back != nil {
		s.leaveOutFaults()
	}
	s.beside.refuse()
	if s.exploration.server != nil {
		s.exploration.fail(s.page.remark)
	}
}

// stay ends what goAloneLater has begun: there is a connection.
func (s *source) stay() {
	if s.leaving != nil {
		s.leaving.end()
		s.leaving = nil
	}
}

// aloneAsks reports whether to request the run from the engine by its scenario, since it knows no lessons.
func (s *source) aloneAsks() bool {
	return s.alone && s.query != "" && !s.address.Host.Traits().RealTime
}

// pause stands for a transport that isn't there yet.
type pause struct{}

func (*pause) send(protocol.Request) bool { return false }
func (*pause) again()                     {}
func (*pause) end()                       {}
