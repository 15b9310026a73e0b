package tap

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/sentence"
)

// MaxObserved is how many znodes, and how many watches, that are known at the start an observation tells of.
const MaxObserved = 2000

// observation is one of a tap.
type observation struct{ *capture.Observation }

// Place is where clients connect.
func (t *Tap) Place() string { return t.Addr().String() }

// System says what is tapped.
func (t *Tap) System() event.System {
	return event.System{Kind: event.ZooKeeperSystem, Servers: len(t.cfg.Servers), Addresses: t.cfg.Servers}
}

// Inject refuses faults: whose servers these are, the tap does not ask.
func (t *Tap) Inject(f fault.Fault) error {
	return sentence.Error("refused.node", sentence.Quote(f.String()))
}

// Observe reports to sink what the clients do at the znode root and below it, until ctx ends, the tap is over, or the
// log has that many events (0: capture.MaxEvents); then it returns event.ErrLogFull. It asks the ensemble for nothing.
//
// The log begins with what the tap knows by then: the sessions, the znodes that clients have made or shown to be
// there, and watches. Sessions are the log's clients, numbered in the order of their coming; ClientStarted, whose Text
// is the address that it comes from, introduces each. What passes is in the log as engine/capture understands it, some
// of it up to a few tenths of a second late, when it is known what came of what.
//
// A session of which nothing is heard for all of its timeout may have expired: event.SessionSilent says so, and who
// is next in line with it isn't known to get in. After twice its timeout it is said to have expired, with a zxid after
// all that were seen; before that already, if the server ends its connection then, or if what a server answers somebody
// shows that a znode of its is gone. After a gap a connection is closed and opened again, with event.ConnUnseen.
//
// Unless begun is nil, it is called before the log's first event with what puts an event into the log.
func (t *Tap) Observe(
	ctx context.Context, root string, sink event.Sink, most int, begun func(say func(event.Event) event.Seq),
) error {
	o, err := t.beginObservation(root, most)
	if err != nil {
		return fmt.Errorf("observe %s: %w", root, err)
	}
	defer t.quit(o)
	if begun != nil {
		begun(o.Say)
	}
	return fmt.Errorf("observe %s: %w", root, o.Follow(ctx, sink))
}

func (t *Tap) beginObservation(root string, most int) (*observation, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ending {
		return nil, net.ErrClosed
	}
	log := capture.NewLog(root, most, t.since(), t.now, t.seen)
	log.Who = t.whoIs
	o := &observation{capture.NewObservation(log, &t.mu, t.since)}
	t.present(o)
	t.observed = append(t.observed, o)
	return o, nil
}

func (t *Tap) quit(o *observation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.observed = slices.DeleteFunc(t.observed, func(x *observation) bool { return x == o })
}

// Figures returns what was counted so far.
func (t *Tap) Figures() Figures {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.counts.figures()
	f.TurnedAway = int(t.refused.Load())
	f.Unseen += int(t.unheard.Load())
	return f
}

// Recent returns how long answers took since it was called last.
func (t *Tap) Recent() Latency {
	t.mu.Lock()
	defer t.mu.Unlock()
	recent := t.counts.recent.latency()
	t.counts.recent = times{}
	return recent
}

// since is the listener's time.
func (l *listener) since() time.Duration { return l.now.Sub(l.began) }

// whoIs is where a session's client comes from.
func (l *listener) whoIs(who event.Actor) string {
	for _, s := range l.sessions {
		if s.ID == who {
			return s.from
		}
	}
	return ""
}

// present reports what is known.
func (l *listener) present(o *observation) {
	for _, s := range l.inOrder(func(s *session) bool { return !s.Gone && s.Session != 0 }) {
		o.Take(0, event.Event{Kind: event.SessionCreated, Peer: s.ID, Session: s.Session, N: int64(s.Timeout)})
		if s.on == nil {
			o.Take(0, event.Event{Kind: event.ConnClosed, Actor: s.ID, Reason: event.ConnLostBefore})
		} else {
			o.Take(0, event.Event{Kind: event.ConnOpened, Actor: s.ID, Peer: l.serverAt(s.server), Session: s.Session,
				N: int64(s.Timeout)})
		}
		if s.doubted {
			o.Take(0, s.saysOverdue())
		}
	}
	most := min(MaxObserved, o.Room()/4)
	l.presentSome(o, l.known.Znodes(), most, event.LeftLater)
	l.presentSome(o, l.known.Watches(), most, event.LeftWatches)
}

// presentSome reports as many facts that are about the log's znodes as there is room for.
func (l *listener) presentSome(o *observation, facts []event.Event, most int, left event.Reason) {
	facts = slices.DeleteFunc(facts, func(e event.Event) bool { return !o.Below(e.Path) })
	for i, e := range facts {
		if i == most {
			o.Note(left)
			return
		}
		o.Take(0, e)
	}
}

// understand looks at what passes, until it is over and there is nothing left to look at.
func (t *Tap) understand(over <-chan struct{}) {
	every := time.NewTicker(lookEvery)
	defer every.Stop()
	var pieces []piece
	for {
		ending := false
		select {
		case <-t.inbox.bell:
		case <-every.C:
		case <-over:
			ending = true
		}
		pieces = t.inbox.take(pieces)
		for i := range pieces {
			t.looking(func() { t.take(&pieces[i]) })
		}
		t.looking(func() { t.look(t.inbox.upTo()) })
		if ending {
			t.looking(t.end)
			return
		}
	}
}

// looking does f under mu.
func (t *Tap) looking(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

// end has every observation end with the tap.
func (l *listener) end() {
	l.ending = true
	for _, o := range l.observed {
		o.Over()
	}
}
