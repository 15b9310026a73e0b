package view_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// model folds a log slowly and obviously: for each event it searches through everything. It keeps what has ended
// until the State that it is compared with has cleared it; see agree.
type model struct {
	seq                                  event.Seq
	at, faultAt                          time.Duration
	zxid                                 int64
	recipe, root                         string
	leftOut                              event.Event
	ended, lost                          bool
	counts                               view.Counters
	byRelease, byArrival, wasted         int
	clients                              []*modelClient
	nodes                                []*view.Node
	watches                              []*modelWatch
	flights                              []*view.Flight
	releases                             []*modelRelease
	stores                               []*modelStore
	creators                             map[event.Seq]event.Actor // the znodes' creators, by the ZnodeCreated
	mostNodes, mostWatches, mostMessages int                       // the most that were live at one time
}

type modelClient struct {
	view.Client
	waitsOn        string
	wakeup         *wakeup // the last one, until its outcome is known
	request, reply event.Seq
	answered       view.Learnt // on its way to the client
}

// wakeup is a watch event that reached its client.
type wakeup struct {
	watch   *modelWatch // nil if unknown
	release *modelRelease
	why     wakeCause
	heeded  bool // the client was blocked, or has sent a request since
}

type wakeCause int

const (
	forOther wakeCause = iota
	forRelease
	forArrival
	forOwnDoing
)

type modelWatch struct {
	view.Watch
	why     wakeCause
	release *modelRelease
	notice  event.Seq // the WatchFired
	open    bool      // its event is still to be delivered
}

type modelRelease struct {
	view.Release
	last, cause event.Seq
}

func newModel(h event.Header) *model {
	m := &model{recipe: h.Recipe, root: h.Root, creators: map[event.Seq]event.Actor{}}
	m.declareStores(h.Drawing.Stores)
	m.client(event.Actor(min(h.Clients, 1000)))
	return m
}

// client returns the client a, and creates it and all before it; nil for an actor that isn't a client.
func (m *model) client(a event.Actor) *modelClient {
	if a < 1 || a > event.MaxActor {
		return nil
	}
	for n := len(m.clients); n < int(a); n++ {
		m.clients = append(m.clients, &modelClient{Client: view.Client{Name: event.Actor(n + 1).String()}})
	}
	return m.clients[a-1]
}

// known returns the client a if the log has mentioned it.
func (m *model) known(a event.Actor) *modelClient {
	if int(a) > len(m.clients) {
		return nil
	}
	return m.client(a)
}

func (m *model) node(path string) *view.Node {
	for _, n := range m.nodes {
		if n.Path == path {
			return n
		}
	}
	return nil
}

func (m *model) apply(e event.Event) {
	m.seq, m.at = e.Seq, e.At
	if e.Actor.Kind() == event.AServer {
		return
	}
	m.zxid = max(m.zxid, e.Zxid)
	switch e.Kind {
	case event.RunStarted:
		if m.recipe == "" {
			m.recipe = e.Text
		}
		if e.Path != "" {
			m.root = e.Path
		}
	case event.RunEnded:
		for _, c := range m.clients {
			m.close(c, true)
		}
		m.ended = true
	case event.Disconnected, event.ServerStopped:
		m.lost = true
	case event.Reconnected, event.ServerStarted:
		m.lost = false
	case event.SessionCreated, event.SessionSeen, event.SessionExpired, event.SessionClosed:
		m.session(m.client(e.Peer), e)
	case event.TxnApplied:
		m.hear(e)
		m.arriveRequest(e)
	case event.WatchSet:
		if e.Reason != event.ServerSays {
			m.hear(e)
			m.arriveRequest(e)
		}
		m.setWatch(m.client(e.Peer), e)
	case event.SessionLocated, event.SessionSilent, event.SessionHeard:
		m.said(m.client(e.Peer), e)
	case event.WatchesAsked: // the model doesn't have this
	case event.WatchFired:
		m.fireWatch(m.client(e.Peer), e)
	case event.WatchRemoved:
		if w := m.standing(e); w != nil {
			w.Over, w.OverAt = true, e.At
		}
	case event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted, event.ZnodeFound:
		m.znode(e)
	case event.MsgSent, event.MsgReceived, event.MsgDropped:
		m.message(e)
	case event.StoreWritten, event.StoreRefused:
		m.store(e)
	case event.FaultInjected:
		m.faultAt = e.At
		if f := m.flight(e.Cause); f != nil && e.N > 0 {
			m.hold(f, e)
		}
		var kind, at, long string
		var client int
		n, _ := fmt.Sscanf(e.Text, "%s client-%d at %s for %s", &kind, &client, &at, &long)
		if d, err := time.ParseDuration(long); n == 4 && err == nil && m.known(e.Peer) != nil && e.Peer > 0 {
			switch c := m.known(e.Peer); kind {
			case "cut":
				c.CutUntil = max(c.CutUntil, e.At+d)
			case "delay":
				c.SlowUntil = max(c.SlowUntil, e.At+d)
			}
		}
	default:
		if c := m.client(e.Actor); c != nil {
			m.process(c, e)
		} else if e.Kind == event.RecipeNote {
			m.leftOut = e
		}
	}
	m.measure()
}

func (m *model) session(c *modelClient, e event.Event) {
	switch {
	case c == nil:
	case e.Kind == event.SessionCreated, e.Kind == event.SessionSeen:
		c.Session, c.Timeout, c.Heard = e.Session, time.Duration(e.N), e.At
		c.Ended, c.EndedAt = view.Alive, 0
		c.Silent, c.Address, c.Where = false, "", ""
	case e.Session != c.Session && e.Session != 0 && c.Session != 0: // of an earlier one
	default:
		c.Ended, c.EndedAt, c.Inside = view.Expired, e.At, false
		if e.Kind == event.SessionClosed {
			c.Ended = view.Closed
			m.arrive(c.request, e.At)
		}
	}
}

// said folds what servers said about a session.
func (m *model) said(c *modelClient, e event.Event) {
	if c == nil || c.Session != e.Session || c.Ended != view.Alive {
		return
	}
	if e.Kind != event.SessionLocated {
		c.Silent, c.Heard = e.Kind == event.SessionSilent, e.At-time.Duration(e.N)
		c.Overdue = c.Silent && e.Reason == event.BySessionExpired
		return
	}
	from, to, _ := strings.Cut(e.Text, " ")
	c.Where = to
	if from != "" {
		c.Address = from
	}
	if e.N > 0 {
		c.Timeout = time.Duration(e.N)
	}
}

// hear records that ZooKeeper heard from the peer's session.
func (m *model) hear(e event.Event) {
	if c := m.known(e.Peer); c != nil && c.Ended == view.Alive {
		c.Heard = e.At
	}
}

func (m *model) process(c *modelClient, e event.Event) {
	switch e.Kind {
	case event.ClientStarted:
		c.Started, c.Role = true, e.Text
	case event.ClientExited:
		m.stop(c, e)
		c.Exited, c.Err = true, e.Text
		if c.Ended == view.Alive {
			c.EndedAt = e.At
		}
		for _, w := range m.watches {
			if w.Client == e.Actor && !w.Over {
				w.Over, w.OverAt = true, e.At
			}
		}
	case event.ClientCrashed:
		m.stop(c, e)
		c.Crashed = true
		c.Belief = view.Belief{Since: e.At, Term: c.Belief.Term, Path: c.Belief.Path}
	case event.ClientPaused:
		end := e.At + time.Duration(e.N)
		if c.Paused && c.PausedAt+c.PausedFor > end {
			end = c.PausedAt + c.PausedFor
		}
		c.Paused, c.PausedAt, c.PausedFor = true, e.At, end-e.At
	case event.ClientResumed:
		c.Paused = false
	case event.ClientBlocked:
		c.Blocked, c.waitsOn, c.Line = true, e.Path, int(e.Line)
		c.BlockedAt, c.Patience = e.At, time.Duration(e.N)
		m.close(c, true)
	case event.ConnOpened:
		if e.Session != 0 && c.Cut && c.Session == e.Session {
			c.BackAt = e.At
		}
		c.Linked, c.Cut, c.Server = true, false, 0
		if e.Peer.Kind() == event.AServer {
			c.Server = e.Peer
		}
		if e.Session != 0 && e.Session != c.Session {
			c.Session, c.Heard, c.Ended, c.EndedAt = e.Session, e.At, view.Alive, 0
		}
		if e.N != 0 {
			c.Timeout = time.Duration(e.N)
		}
	case event.ConnClosed:
		c.Linked, c.Cut, c.Server, c.Closed = false, true, 0, e.Reason
	case event.OpSent:
		m.ask(c, e)
	case event.OpDone:
		m.answer(c, e)
	case event.WatchDelivered:
		m.deliver(c, e)
	case event.RecipePhase:
		m.report(c, e)
	case event.RecipeNote:
		c.Note = e.Text
	}
}

// stop ends a process: nothing of it goes on, and nobody is left to notify.
func (m *model) stop(c *modelClient, e event.Event) {
	m.close(c, true)
	if c.Belief.Phase.Inside() {
		c.Belief.Phase = ""
	}
	c.Inside, c.Paused, c.Linked, c.Cut, c.Blocked, c.Server = false, false, false, false, false, 0
	c.Op, c.OpPath, c.Line = event.NoOp, "", 0
	for _, w := range m.watches {
		if w.Client == e.Actor {
			w.open = false
		}
	}
}

func (m *model) ask(c *modelClient, e event.Event) {
	c.Op, c.OpPath, c.OpSince, c.Line, c.Blocked = e.Op, e.Path, e.At, int(e.Line), false
	if c.wakeup != nil {
		c.wakeup.heeded = true
	}
	switch e.Op {
	case event.NoOp, event.Connect, event.Ping, event.CloseSession, event.SetWatches:
	default:
		m.counts.Requests++
	}
	if e.Op == event.Delete && e.Path == c.Belief.Path {
		c.Inside = false
	}
	m.arrive(c.request, e.At) // its earlier request has come to nothing
	c.request = e.Seq
	expects := max(e.Code-1, 0)
	m.send(view.Flight{Seq: e.Seq, From: e.Actor, Op: e.Op, Path: e.Path, Sent: e.At, Takes: time.Duration(e.N),
		Watch: e.Watch, Text: e.Text, If: e.Code > 0, Expects: expects})
}

func (m *model) answer(c *modelClient, e event.Event) {
	m.arrive(c.request, e.At)
	m.arrive(c.reply, e.At)
	c.request, c.reply = 0, 0
	code := zoo.Code(e.Code)
	switch is := c.answered.Op == e.Op && e.Op != event.NoOp; {
	case is && (code == zoo.OK || code == zoo.ErrNoNode):
		c.Learnt = c.answered
		if e.Op == event.Get || e.Op == event.Set || e.Op == event.Multi {
			c.Value = c.answered
		}
	case code == zoo.ErrNodeExists, code == zoo.ErrBadVersion, e.Op == event.Delete && code == zoo.ErrNoNode:
		c.Refused = view.Refused{Op: e.Op, Path: e.Path, Code: e.Code, At: e.At}
	}
	c.answered = view.Learnt{}
	c.Seen = max(c.Seen, e.Zxid)
	answered := code != zoo.ErrSessionExpired && code != zoo.ErrConnectionLoss && code != zoo.ErrStopped
	if answered && c.Ended == view.Alive && c.OpSince > c.Heard { // the server heard it when it asked, or later
		c.Heard = c.OpSince
	}
	c.Op, c.OpPath, c.Line = event.NoOp, "", 0
}

func (m *model) report(c *modelClient, e event.Event) {
	was := c.Belief
	c.Belief = view.Belief{Phase: program.Phase(e.Text), Since: e.At, Path: e.Path, Fence: e.N, Times: int(e.Code)}
	c.Belief.Term = e.At
	if was.Phase == c.Belief.Phase && was.Path == e.Path && was.Phase.Inside() {
		c.Belief.Term = was.Term
	}
	c.Blocked = false
	switch phase := c.Belief.Phase; {
	case phase.Inside():
		if u := c.wakeup; u != nil && !u.heeded && u.why == forArrival { // it was on its way in
			c.wakeup = nil
			c.Woken--
			m.byArrival--
		}
		if n := m.node(e.Path); c.Ended == view.Alive && (n == nil || !n.Gone) {
			c.Inside = true
		}
		if was.Phase != phase || was.Path != e.Path {
			m.getIn(c)
		}
	case phase.Gets():
		m.getIn(c)
	case phase == program.Released:
		c.Inside = false
	case phase == program.Lost:
		c.Inside = false
		if e.Path == "" {
			c.Belief.Path = was.Path
		}
	}
}

func (m *model) getIn(c *modelClient) {
	c.Holds++
	m.counts.Acquisitions++
	m.close(c, false)
}

// close ends the last wakeup, whose outcome is now known.
func (m *model) close(c *modelClient, inVain bool) {
	if u := c.wakeup; u != nil && inVain {
		c.Wasted++
		m.wasted++
		if u.release != nil {
			u.release.Wasted++
		}
	}
	c.wakeup = nil
}

// measure remembers the greatest numbers so far.
func (m *model) measure() {
	nodes, watches, messages := 0, 0, 0
	for _, n := range m.nodes {
		nodes += one(!n.Gone)
	}
	for _, w := range m.watches {
		watches += one(!w.Over || w.open)
	}
	for _, f := range m.flights {
		messages += one(!m.arrived(f))
	}
	m.mostNodes, m.mostWatches = max(m.mostNodes, nodes), max(m.mostWatches, watches)
	m.mostMessages = max(m.mostMessages, messages)
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
