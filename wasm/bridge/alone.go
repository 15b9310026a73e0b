//go:build js && wasm

package bridge

import (
	"time"

	"github.com/zkviz/zkviz/engine/run/protocol"
)

const (
	// aloneAfter is how long the server may be away, while the machine is awake, before the engine goes on with a
	// simulated run in its place.
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
	afterAwake(aloneAfter, func() {
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
			if !s.alone {
				s.server.end()
				s.server, s.leaving, s.alone, s.says = s.leaving, nil, true, says
				s.beside.redial()
				s.exploration.redial()
			}
			s.begun()
		},
		text: s.takeMessage, frame: s.takeFrame, closed: s.lost, rests: s.rests,
		failed: func(why string) { s.giveUp(); failed(why) },
	})
}

// lacks lets the engine answer what the files of a site have no answer for, and go on from there.
func (s *source) lacks() bool {
	if s.leaving == nil {
		s.page.setLink(s.page.panes.Say("engine.loading"))
		s.goAlone("", s.goWithout)
	}
	return true
}

// goWithout leaves everything as it is, since there is no engine, and says what to do.
func (s *source) goWithout(why string) {
	s.leaving = nil
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

// giveUp ends what waits for the engine, which isn't there.
func (s *source) giveUp() {
	if s.alone {
		s.stop()
	}
	if s.forget() > 0 {
		s.undone()
	}
}

// stay ends what goAloneLater has begun: there is a connection.
func (s *source) stay() {
	if s.leaving != nil {
		s.leaving.end()
		s.leaving = nil
	}
}

// pause stands for a transport that isn't there yet.
type pause struct{}

func (*pause) send(protocol.Request) bool { return false }
func (*pause) reach() bool                { return false }
func (*pause) again()                     {}
func (*pause) end()                       {}
