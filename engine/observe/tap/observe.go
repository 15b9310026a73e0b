package tap

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/window"
)

// MaxObserved is how many znodes and how many watches an observation reports at its start.
const MaxObserved = 2000

// observation is one observation of a tap.
type observation struct{ *window.Observation }

// Place returns the address for clients to connect to.
func (t *Tap) Place() string { return t.Addr().String() }

// System describes the tapped servers.
func (t *Tap) System() event.System {
	return event.System{Kind: event.ZooKeeperSystem, Servers: len(t.cfg.Servers), Addresses: t.cfg.Servers}
}

// Inject refuses every fault, because a tap never acts on other people's servers.
func (t *Tap) Inject(f fault.Fault) error {
	return sentence.Error("refused.node", sentence.Quote(f.String()))
}

// Observe reports to sink what the clients do at the znode root and below it. It ends when ctx or the tap ends, or
// with event.ErrLogFull when the log has most events (0: window.MaxEvents). It sends no requests to the ensemble.
//
// The log begins with what the tap knows by then: the sessions, the znodes that clients have created or proved to
// exist, and watches. Sessions are the log's clients, numbered in the order of their arrival. ClientStarted
// introduces each, with its address as Text. The log shows the traffic as engine/observe/capture decodes it. Some
// of it is up to a few tenths of a second late, because causes must be known first.
//
// A session that is silent for its whole timeout may have expired. event.SessionSilent says so, and its successor
// then doesn't count as having the lock. After twice its timeout it counts as expired, with a zxid after all those
// seen. It counts as expired earlier if its server closes the connection then, or if a server's answer shows that
// one of its znodes is gone. After a gap a connection is closed with event.ConnUnseen and opened again.
//
// Unless begun is nil, it is called before the log's first event. Its argument adds an event to the log.
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
	log := window.NewLog(root, most, t.since(), t.now, t.seen)
	log.Who = t.addressOf
	o := &observation{window.NewObservation(log, &t.mu, t.since)}
	t.present(o)
	t.observed = append(t.observed, o)
	return o, nil
}

func (t *Tap) quit(o *observation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.observed = slices.DeleteFunc(t.observed, func(x *observation) bool { return x == o })
}

// Figures returns the current figures.
func (t *Tap) Figures() Figures {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.counts.figures()
	f.TurnedAway = int(t.refused.Load())
	f.Unseen += int(t.unheard.Load())
	return f
}

// Recent returns how long answers took since the last call.
func (t *Tap) Recent() Latency {
	t.mu.Lock()
	defer t.mu.Unlock()
	recent := t.counts.recent.latency()
	t.counts.recent = times{}
	return recent
}

// since returns the listener's time.
func (l *listener) since() time.Duration { return l.now.Sub(l.began) }

// addressOf returns the address of a session's client.
func (l *listener) addressOf(who event.Actor) string {
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
		if s.decoder == nil {
			o.Take(0, event.Event{Kind: event.ConnClosed, Actor: s.ID, Reason: event.ConnLostBefore})
		} else {
			o.Take(0, event.Event{Kind: event.ConnOpened, Actor: s.ID, Peer: l.serverAt(s.server), Session: s.Session,
				N: int64(s.Timeout)})
		}
		if s.doubted {
			o.Take(0, s.overdueEvent())
		}
	}
	most := min(MaxObserved, o.Room()/4)
	l.presentAtMost(o, l.known.Znodes(), most, event.LeftLater)
	l.presentAtMost(o, l.known.Watches(), most, event.LeftWatches)
}

// presentAtMost reports facts about the log's znodes, as many as fit.
func (l *listener) presentAtMost(o *observation, facts []event.Event, most int, left event.Reason) {
	facts = slices.DeleteFunc(facts, func(e event.Event) bool { return !o.Below(e.Path) })
	for i, e := range facts {
		if i == most {
			o.Note(left)
			return
		}
		o.Take(0, e)
	}
}

// decode decodes pieces until the tap ends and none is left.
func (t *Tap) decode(over <-chan struct{}) {
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
			t.locked(func() { t.take(&pieces[i]) })
		}
		t.locked(func() { t.look(t.inbox.upTo()) })
		if ending {
			t.locked(t.end)
			return
		}
	}
}

// locked calls f under mu.
func (t *Tap) locked(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

// end ends every observation when the tap ends.
func (l *listener) end() {
	l.ending = true
	for _, o := range l.observed {
		o.Over()
	}
}
