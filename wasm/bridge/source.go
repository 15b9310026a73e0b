//go:build js && wasm

package bridge

import (
	"net/url"
	"strconv"
	"syscall/js"
	"time"

	"github.com/zkviz/zkviz/engine/run/link"
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
	query   string      // the run's scenario, for a link
	toEdge  bool        // follow the next run, if it is live, at its edge
	asked   bool        // a fault was requested: the next branch is the answer
	back    *Resumption // where to go in the reopened run, nil for its start
	asks    int         // number of runs requested
	file    bool        // a reader's file is shown: the server is not involved
	name    string      // of the file
	// unchecked means that what is shown is still to be compared with the link that the page was opened by.
	unchecked bool
	reading   transport // brings the reader's last opened file unless it is shown already; nil for none
	steps     []player.Step
	alone     bool              // the server is away, and the engine takes its place
	leaving   transport         // to the engine, which may take the place of the server that is away; nil otherwise
	says      string            // the remark when the engine has reopened the run
	pending   *protocol.Request // sent once it has; nil for none
}

// connect sets up the transport.
func (s *source) connect() {
	s.server = s.dial(receiver{
		opened: s.begun, text: s.takeMessage, frame: s.takeFrame, closed: s.lost, lacks: s.lacks,
	})
}

// dial connects to the server, or to the engine that has taken its place.
func (s *source) dial(r receiver) transport {
	if s.alone {
		r.closed = func() {}
		if r.failed == nil {
			r.failed = s.page.setLink
		}
		return s.engine.dial(s.post, r)
	}
	return dial(s.post, r, dialServer)
}

// lost says that the server is away.
func (s *source) lost() {
	s.settle()
	if s.leaving == nil { // then the engine has had no try, and said nothing
		s.page.setLink(s.page.panes.Say("link.away", host()))
	}
	s.goAloneLater()
}

// host returns the server's name and port.
func host() string { return js.Global().Get("location").Get("host").String() }

// begun opens a run, or continues the current one.
func (s *source) begun() {
	s.stay()
	if s.address.File || s.address.Reopens {
		return
	}
	s.page.setLink("")
	run := s.player.Log.Run().ID
	if run == "" {
		run = s.address.Run
	}
	if run == "" {
		s.ask()
		return
	}
	s.goOn(run)
}

// open requests something else.
func (s *source) open() {
	s.address.Run, s.address.Faults, s.back = "", nil, nil
	s.endReading()
	s.beside.leaveBranch()
	s.player.Open(player.Run{})
	if s.file {
		s.file, s.address.File = false, false
		s.server.end()
		s.connect()
		return
	}
	s.ask()
}

// ask requests what the address says.
func (s *source) ask() {
	s.asks++
	if s.aloneAsks() {
		s.server.send(protocol.Request{Do: protocol.Open, Query: s.query})
		return
	}
	s.server.send(s.address.request())
}

// askAgain repeats the request after a while, unless there was another one meanwhile.
func (s *source) askAgain(wait time.Duration) {
	asks := s.asks
	after(wait, func() {
		s.post(func() {
			if s.unanswered() && s.asks == asks {
				s.page.remark, s.page.stale = "", true
				s.ask()
			}
		})
	})
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
		s.settle()
		s.takeRun(m)
	case *protocol.Branch:
		s.settle()
		if !s.unanswered() {
			s.takeBranch(m)
		}
	case *protocol.Steps:
		if !s.unanswered() {
			s.putSteps(m.Steps)
		}
	case *protocol.Verdict:
		if !s.unanswered() {
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
	r := player.Run{
		ID: m.Run, Header: m.Header, Lesson: s.address.Lesson != "" && m.Header.Host.Traits().Recipe,
		File: s.address.Window != "",
	}
	fresh := r.ID != s.player.Log.Run().ID
	if fresh {
		s.begin(r)
		s.page.panes.Forget()
		s.page.mark("contenders", "0") // until the server says how many
		s.page.tell("zkviz-run", map[string]any{"query": m.Query})
	}
	s.putRows(m.Branches)
	if fresh && !s.alone {
		s.steps = nil
	}
	s.putSteps(m.Steps)
	if !s.file {
		s.query = m.Query
	}
	if m := s.address.Link; fresh && m.Trace == "" && s.address.Run != r.ID {
		if m.Select != "" {
			s.player.Select(m.Select)
		}
		if m.Set {
			s.player.Show(m.At, m.Seq)
		}
	}
	if fresh && s.toEdge && r.Live() {
		s.player.ToEnd()
	}
	s.toEdge = s.toEdge && !fresh
	if fresh && s.back == nil && len(s.address.Faults) > 0 && s.address.Run != r.ID {
		s.back = ResumptionTo(s.address.Faults, s.address.Link)
	}
	if fresh && s.back != nil {
		for _, f := range s.back.Faults() {
			s.server.send(f)
		}
		s.resume()
	}
	if fresh && s.pending != nil {
		s.server.send(*s.pending)
		s.pending = nil
	}
	if fresh && s.address.Run == r.ID {
		s.restore()
	}
	s.address.Run = ""
	if fresh {
		s.meet(s.page.reading())
	}
	if fresh && s.address.Beside != "" {
		s.beside.compare(s.address.Beside)
		s.address.Beside = ""
	}
	s.prepare()
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

// putSteps adds the ends of a lesson's steps. The engine knows no lessons, so it sends none: the same run has the same.
func (s *source) putSteps(steps []player.Step) {
	if s.alone && s.address.Lesson != "" {
		steps = s.steps
	} else if len(steps) > 0 {
		s.steps = steps
	}
	s.player.PutSteps(steps)
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

func (s *source) takeBranch(m *protocol.Branch) {
	known := len(s.player.Log.Branches())
	s.check(s.player.PutBranch(m.Row, m.Steps))
	if s.asked && len(s.player.Log.Branches()) > known {
		s.asked = false
		s.player.Watch(m.ID)
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
	if s.address.Run == "" {
		return ResumptionOf(s.player)
	}
	if w := s.address; w.Host.Traits().Computed && w.Zoo == "" && w.Path == "" {
		return ResumptionTo(w.WasFaults, link.Moment{Place: w.Was, Select: w.Selected})
	}
	return nil
}

// reopen opens the run again at the page's position, or at its start if that can't be restored, and says so.
func (s *source) reopen(said string) {
	back := s.back
	if back == nil {
		back = s.place()
	}
	if back == nil {
		said = s.page.panes.Say("link.anew")
	}
	s.open()
	s.back, s.page.remark, s.page.stale = back, said, true
}

// takeRefusal shows a refusal. It reopens an evicted run, and says so on the page, and retries later if the server is
// too busy.
func (s *source) takeRefusal(m *protocol.Refusal) {
	if m.Do == protocol.Resume && s.file {
		s.page.setLink(s.page.panes.Says(m.Why))
		return
	}
	if m.Do == protocol.Resume {
		said := s.page.panes.Say("link.same")
		if s.alone {
			said = s.says
		}
		s.reopen(said)
		return
	}
	returning := m.Do == protocol.Inject && s.back != nil
	s.asked = false
	s.page.remark, s.page.stale = s.page.panes.Says(m.Why), true
	if returning {
		s.leaveOutFaults()
	} else if m.Do == protocol.Inject {
		s.undone()
	}
	s.page.told = true
	switch {
	case m.Do != protocol.Open || m.AgainMS > 0 || !s.unanswered():
	case m.Why.Key == protocol.Stopped:
		s.page.remark = s.page.panes.Say("computing.stopped")
	default:
		s.page.tell("zkviz-refused", map[string]any{"why": s.page.remark})
	}
	if wait := time.Duration(m.AgainMS) * time.Millisecond; wait > 0 && s.unanswered() {
		s.askAgain(wait)
	}
}

// takeFrame handles a frame of events.
func (s *source) takeFrame(frame []byte) {
	if s.unanswered() {
		return
	}
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
