//go:build js && wasm

package bridge

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// exploration looks for a schedule that breaks a promise of the run on the stage. It has a connection of its own, so
// the stage goes on meanwhile. The page is told with the event zkviz-explore.
type exploration struct {
	source  *source
	page    *page
	server  transport // nil if nothing is under way
	request protocol.Request
}

// The states of an exploration for the page.
const (
	exploring   = "busy"
	heldInAll   = "held"
	brokeIn     = "broke"
	notExplored = "failed"
)

// begin explores around what is shown, with all faults that can happen there, or only with those of its kinds.
func (x *exploration) begin(ownFaults bool) bool {
	x.end()
	s := x.source
	if !s.computed() {
		x.fail(x.page.panes.Say("explored.simulated"))
		return false
	}
	scenario := WithFaults(s.query, faultsOf(s.player.Log.Branches(), s.player.Log.Branch()))
	x.request = protocol.Request{Do: protocol.Explore, Query: scenario.Encode(), OwnFaults: ownFaults}
	x.tell(exploring, x.page.panes.Say("explored.busy"))
	x.connect()
	return true
}

func (x *exploration) connect() {
	x.server = x.source.dial(receiver{
		opened: func() {
			if !x.server.send(x.request) {
				x.server.reach()
			}
		},
		text: x.take, closed: func() {}, failed: x.fail, lacks: x.source.lacks,
	})
}

// redial begins again with the engine, which has taken the server's place.
func (x *exploration) redial() {
	if x.server != nil {
		x.end()
		x.connect()
	}
}

// stop ends it. What was found by then comes as an answer.
func (x *exploration) stop() bool {
	if x.server == nil {
		return false
	}
	if !x.server.send(protocol.Request{Do: protocol.Stop}) {
		x.fail(x.page.panes.Say("explored.stopped"))
	}
	return true
}

func (x *exploration) end() {
	if x.server != nil {
		x.server.end()
		x.server = nil
	}
}

// take handles a message. It ignores one that it can't parse.
func (x *exploration) take(text []byte) {
	m, err := protocol.ParseMessage(text)
	if err != nil {
		return
	}
	say := x.page.panes.Say
	switch m := m.(type) {
	case *protocol.Progress:
		x.page.tell("zkviz-explore", map[string]any{
			"state": exploring, "said": []any{far(m, say)}, "tried": m.Tried, "of": m.Of,
		})
	case *protocol.Explored:
		x.end()
		state, said := heldInAll, []any{}
		if !m.Held {
			state = brokeIn
		}
		for _, s := range m.Said {
			said = append(said, x.page.panes.Says(s))
		}
		_, files := onFiles()
		x.page.tell("zkviz-explore", map[string]any{
			"state": state, "said": said, "link": m.Link, "alone": x.source.alone && !files,
		})
	case *protocol.Refusal:
		why := x.page.panes.Says(m.Why)
		if m.Why.Key == protocol.Stopped {
			why = say("explored.stopped")
		}
		x.fail(why)
	}
}

// far says how far it is.
func far(m *protocol.Progress, say func(key string, args ...string) string) string {
	switch {
	case m.Broke:
		return say("explored.smaller")
	case m.Of == 0:
		return say("explored.waits")
	}
	return say("explored.count", sentence.Grouped(m.Tried), sentence.Grouped(m.Of))
}

// fail ends it, and says why.
func (x *exploration) fail(why string) {
	x.end()
	x.tell(notExplored, why)
}

func (x *exploration) tell(state, said string) {
	x.page.tell("zkviz-explore", map[string]any{"state": state, "said": []any{said}})
}

// show opens the run of a link to the Lab on the stage, since nobody answers the link.
func (s *source) show(query string) bool {
	q := WithFaults(query, nil)
	moment, err := link.Take(q)
	if err != nil {
		return false
	}
	s.address = Address{Query: q.Encode(), Host: event.Simulated, Link: moment}
	s.query, s.unchecked = "", true
	s.open()
	return true
}
