//go:build js && wasm

package bridge

import (
	"cmp"
	"strconv"
	"syscall/js"
	"time"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// source is where the first run on the stage comes from: the server, or the engine in the page. The engine computes it
// if the server is away for long, and reads files.
type source struct {
	feed
	page        *page
	beside      *Beside
	exploration *exploration
	engine      *engine
	post        func(work func()) // leaves work for Update
	undone      func()            // called when a fault of the reader's is refused
	added       func()            // called after a piece of a file has come, maybe without an Update

	address Address
	toEdge  bool        // follow the next run, if it is live, at its edge
	back    *Resumption // where to go once the run has the branch, nil for nowhere else
	sought  string      // the last branch and fault that were requested on the way there
	denied  bool        // that was refused
	asks    int         // number of runs requested
	file    bool        // a reader's file is shown: the server is not involved
	name    string      // of the file
	// unchecked means that what is shown is still to be compared with the link that the page was opened by.
	unchecked bool
	reading   transport // brings the reader's last opened file unless it is shown already; nil for none
	steps     []player.Step
	alone     bool      // the server is away, and the engine takes its place
	leaving   transport // to the engine, which may take the place of the server that is away; nil otherwise
	says      string    // the remark once the engine has repeated the run
}

// connect sets up the transport.
func (s *source) connect() {
	s.server = s.dial(receiver{
		opened: s.begun, text: s.takeMessage, frame: s.takeFrame, closed: s.lost, failed: s.goWithout, lacks: s.lacks,
		rests: s.rests,
	})
}

// dial connects to the server, or to the engine that has taken its place.
func (s *source) dial(r receiver) transport {
	if s.alone {
		return s.engine.dial(s.post, r)
	}
	return dial(s.post, r, dialServer)
}

// lost says that the server is away. The engine says itself that it was.
func (s *source) lost() {
	s.close()
	if s.alone {
		return
	}
	if s.leaving == nil { // then the engine has had no try, and said nothing
		s.page.setLink(s.page.panes.Say("link.away", host()))
	}
	s.goAloneLater()
}

// rests reports whether nothing is under way.
func (s *source) rests() bool { return s.back == nil && s.feed.rests() }

// host returns the server's name and port.
func host() string { return js.Global().Get("location").Get("host").String() }

// begun opens a run, or continues the current one.
func (s *source) begun() {
	s.stay()
	if s.address.File || s.address.Reopens {
		return
	}
	s.page.setLink("")
	if run := cmp.Or(s.player.Log.Run().ID, s.address.Run); run != "" {
		s.goOn(run)
		return
	}
	s.ask()
}

// open requests something else.
func (s *source) open() {
	s.address.Run, s.address.Faults, s.back = "", nil, nil
	s.endReading()
	s.beside.leaveBranch()
	s.leave()
	if s.file {
		s.file, s.address.File = false, false
		s.server.end()
		s.connect()
		return
	}
	s.ask()
}

// askNow requests what the address says, or the engine for the scenario of that, since it knows no lessons.
func (s *source) askNow() {
	s.asks++
	if s.alone && s.query != "" && !s.address.Host.Traits().RealTime {
		s.feed.open(protocol.Request{Do: protocol.Open, Query: s.query})
		return
	}
	s.feed.open(s.address.request())
}

// askAgain repeats the request after a while, unless there was another one meanwhile.
func (s *source) askAgain(wait time.Duration) {
	asks := s.asks
	after(wait, func() {
		s.post(func() {
			if !s.follows && s.asks == asks {
				s.page.remark, s.page.stale = "", true
				s.ask()
			}
		})
	})
}

// again starts the run afresh, or if there is none since something went wrong, tries again.
func (s *source) again() bool {
	if s.stopped || s.unanswered() {
		if !s.asking {
			s.ask()
		}
		return true
	}
	if r := s.player.Log.Run(); !r.Live() || !r.Header.Host.Traits().Recipe {
		return s.player.Do("start", "")
	}
	s.open()
	return true
}

// unanswered reports whether the requested run hasn't arrived: messages still belong to the one before.
func (s *source) unanswered() bool { return s.player.Log.Run().ID == "" }

// takeMessage handles a message. It ignores one that it can't parse.
func (s *source) takeMessage(text []byte) {
	m, err := protocol.ParseMessage(text)
	if err != nil {
		return
	}
	switch m := m.(type) {
	case *protocol.Run:
		s.takeRun(m)
	case *protocol.Branch:
		s.settle()
		if s.follows {
			s.takeBranch(m)
		}
	case *protocol.Steps:
		if s.follows {
			s.putSteps(m.Steps)
		}
	case *protocol.Verdict:
		if s.follows {
			s.check(s.player.PutVerdict(*m))
		}
	case *protocol.Contenders:
		s.page.mark("contenders", strconv.Itoa(m.Clients))
	case *protocol.Connection:
		s.page.setLink("")
		switch {
		case m.Failed:
			s.page.setLink(s.page.panes.Say("link.failed", s.page.panes.Says(m.Why)))
		case !m.OK:
			s.page.setLink(s.page.panes.Say("link.lost", s.page.panes.Says(m.Why)))
		}
	case *protocol.Fork:
		s.page.tellFork(m)
	case *protocol.Progress:
		s.computing, s.page.stale = m, true
	case *protocol.Refusal:
		s.settle()
		if m.Do == protocol.WhatIf {
			s.page.tellNoFork(s.page.panes.Says(m.Why))
			return
		}
		s.takeRefusal(m)
	}
}

func (s *source) takeRun(m *protocol.Run) {
	repeated := s.repeats
	fresh, lost := s.feed.takeRun(m, player.Run{
		ID: m.Run, Header: m.Header, Lesson: s.address.Lesson != "" && m.Header.Host.Traits().Recipe,
		File: s.address.Window != "",
	})
	if fresh {
		s.page.panes.Forget()
		s.page.mark("contenders", "0") // until the server says how many
		session := m.Header.SessionTimeout
		s.page.tell("zkviz-run", map[string]any{"query": m.Query, "timeout": sentence.Spell(session),
			"lasts": fault.Beyond(session).Seconds()})
		if !s.alone {
			s.steps = nil
		}
	}
	s.putSteps(m.Steps)
	if repeated {
		s.sayRepeated(fresh)
	}
	s.lose(lost)
	s.sought = ""
	if fresh {
		s.goToPlace(m)
	} else {
		s.makeBranch()
	}
	s.address.Run = ""
	s.prepare()
}

// sayRepeated says that the run has been computed again, unless the engine has rested.
func (s *source) sayRepeated(fresh bool) {
	said := s.says
	switch _, files := onFiles(); {
	case fresh:
		said = s.page.panes.Say("link.anew")
	case !s.alone && !files:
		said = s.page.panes.Say("link.same")
	}
	if s.says = ""; said != "" {
		s.page.remark, s.page.stale = said, true
	}
}

// lose says that the reader's last faults came to nothing.
func (s *source) lose(faults int) {
	if faults > 0 {
		s.undone()
		s.page.addRemark(s.page.panes.Say("link.undone"))
	}
}

// putSteps adds the ends of a lesson's steps. The engine knows no lessons, so it sends none: the same run has the same.
func (s *source) putSteps(steps []player.Step) {
	if s.alone && s.address.Lesson != "" {
		steps = s.steps
	} else if len(steps) > 0 {
		s.steps = steps
	}
	s.player.PutSteps(steps)
}

func (s *source) takeBranch(m *protocol.Branch) {
	if !s.takeRow(m.Row, m.Steps) {
		s.reopen()
	}
	s.makeBranch()
}

// takeRefusal shows a refusal. It requests a run again that is gone, and says so on the page, and retries later if the
// server is too busy.
func (s *source) takeRefusal(m *protocol.Refusal) {
	switch {
	case m.Do == protocol.Resume && s.file:
		s.page.setLink(s.page.panes.Says(m.Why))
		return
	case m.Do == protocol.Resume && s.repeatable():
		s.ask()
		return
	case m.Do == protocol.Resume, m.Do == protocol.Inject && s.redoing > 0:
		s.reopen()
		return
	case m.Do == protocol.Inject && !s.follows: // of a run that the page has left
		return
	}
	returning := m.Do == protocol.Inject && s.back != nil
	if returning {
		if s.denied = true; m.AgainMS > 0 {
			s.sought = "" // it may be asked for again
		}
		if s.back.led {
			s.back = nil
			return
		}
	}
	lost := s.refused(m.Do)
	s.page.remark, s.page.stale = s.page.panes.Says(m.Why), true
	if returning {
		s.leaveOutFaults()
	} else if m.Do == protocol.Inject {
		s.undone()
	}
	s.page.told = true
	switch {
	case m.Do != protocol.Open || m.AgainMS > 0:
	case m.Why.Key == protocol.Stopped:
		s.page.remark = s.page.panes.Say("computing.stopped")
	case s.unanswered():
		s.page.tell("zkviz-refused", map[string]any{"why": s.page.remark})
	}
	s.lose(lost)
	if wait := time.Duration(m.AgainMS) * time.Millisecond; wait > 0 && !s.follows {
		s.askAgain(wait)
	}
}

// takeFrame handles a frame of events.
func (s *source) takeFrame(frame []byte) {
	s.takeEvents(frame)
	s.goToMoment()
}

// goToMoment shows the moment that the address names as soon as it has arrived. If the log doesn't reach back that far,
// it says so and shows the end.
func (s *source) goToMoment() {
	m := s.address.Moment
	if m == 0 {
		return
	}
	at, seq, reach := m.In(s.player.Log.Shown().History(), s.player.Log.Shown().All())
	if reach == NotYet {
		return
	}
	s.address.Moment = 0
	s.player.Select(s.address.Link.Select)
	if reach == There {
		s.player.Show(at, seq)
		return
	}
	s.player.ToEnd()
	s.page.remark, s.page.stale = s.page.panes.Say("link.before"), true
}
