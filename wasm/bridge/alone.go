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
	if s.alone || reelAddress() != "" || !s.computed() {
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
			s.post(s.goAlone)
		}
	})
}

// goAlone connects to the engine. Once it's there, it takes the server's place for good.
func (s *source) goAlone() {
	s.leaving = s.engine.dial(s.post, receiver{
		opened: func() {
			if s.alone {
				s.begun()
				return
			}
			to := s.leaving
			s.leaving, s.alone = nil, true
			s.server.end()
			s.server = to
			s.begun()
			s.beside.redial()
		},
		text: s.takeMessage, frame: s.takeFrame, closed: func() {},
		failed: func(why string) { s.page.setLink(why) },
	})
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
