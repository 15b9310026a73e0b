package panes

import (
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// Row is one line of the log.
type Row struct {
	Time string // in seconds
	Wall string // wall-clock time in UTC, "" if unknown
	Date string // the same with the date
	Who  Who
	Kind string // op.sent, or session.created 0x1f: a detail like Fact.Aside
	Text string // what the event is about, in nouns
	Why  string
}

// NewRow returns the row of a mark.
func NewRow(history *view.History, m Mark, say Say) Row {
	e := history.Event(int(m.First) - 1)
	r := Row{Time: seconds(e.At, 3), Who: say.who(subject(e))}
	if at, ok := history.Wall(e.At); ok {
		r.Wall, r.Date = at.Format("15:04:05.000"), at.Format("2006-01-02 15:04:05.000 UTC")
	}
	r.Kind, r.Text = named(e, say)
	switch {
	case m.Last > m.First:
		n := strconv.Itoa(together(history, m))
		r.Kind += " ×" + n
		r.Why = say("why.together", n, short(e.Path))
	default:
		r.Why = Reason(history, e, say)
		if e.Kind == event.WatchFired {
			r.Text = say("to.client", r.Text, e.Peer.Letter())
		}
	}
	return r
}

// named returns the Kind and the Text of an event for a Row.
func named(e event.Event, say Say) (kind, text string) {
	kind, text = e.Kind.String(), about(e, say)
	if ofSession(e) {
		return kind + " " + text, ""
	}
	return kind, text
}

// ofSession reports whether an event has nothing to say but its session.
func ofSession(e event.Event) bool {
	return sessions(e.Kind) || e.Kind == event.ConnOpened && e.Peer.Kind() != event.ANode
}

// sessions reports whether a kind is about a session.
func sessions(k event.Kind) bool {
	return k >= event.SessionCreated && k <= event.SessionClosed || k >= event.SessionSeen && k <= event.SessionHeard
}

// together counts the events of a row.
func together(history History, m Mark) int {
	n := 0
	for seq := m.First; seq <= m.Last; seq++ {
		if shown(history.Event(int(seq) - 1)) {
			n++
		}
	}
	return n
}

// shown reports whether the log has a row for e. It omits heartbeats, replies and applied transactions: their effects
// have rows of their own.
func shown(e event.Event) bool {
	switch e.Kind {
	case event.MsgSent, event.MsgReceived, event.ClientBlocked, event.SessionTouched, event.LeaseRenewed:
		return false
	case event.TxnLogged, event.LogSynced, event.TxnDelivered, event.VoteFinal:
		return false // each server does so for each transaction; the inspector shows it
	case event.TxnApplied:
		return e.Code != 0
	case event.ZnodeFound:
		return e.Introduces() // otherwise it only adds the creation time
	case event.OpSent, event.OpDone:
		return e.Actor != event.ZooKeeper
	}
	return true
}

// joins reports whether e shares the row of the event before it.
func joins(before, e event.Event) bool {
	return e.Kind == event.WatchFired && before.Kind == e.Kind && before.Cause == e.Cause && e.Cause != 0 &&
		before.Path == e.Path
}

// about says in nouns what an event is about.
func about(e event.Event, say Say) string {
	var w nouns
	if ofSession(e) {
		return hex(e.Session)
	}
	if e.Actor.Kind() == event.AServer {
		return ofServer(e, say)
	}
	if e.Actor.Kind() == event.ANode {
		return ofNode(e, say)
	}
	switch e.Kind {
	case event.OpSent, event.OpDone, event.TxnApplied, event.MsgDropped:
		if e.Op == event.Command && e.Kind == event.OpSent && e.Text != "" {
			w.add(clean(lettered(e.Text)))
			break
		}
		w.add(asked(e.Op, e.Path, say))
		switch {
		case e.Op == event.Command && e.Kind == event.OpDone && e.Code >= 0 && e.Text != "": // a node's answer
			w.add("→ " + clean(lettered(e.Text)))
		case e.Code == 0 || e.Kind == event.OpSent:
		default:
			w.add("→ " + say.voice().Says(view.Refusal(e.Code)))
		}
	case event.WatchSet, event.WatchRemoved:
		w.add(short(e.Path), say("watch."+e.Watch.String()))
	case event.WatchFired, event.WatchDelivered:
		w.add(say("type."+event.TypeName(e.Type), short(e.Path)))
	case event.ZnodeCreated:
		w.add(short(e.Path), say("kind."+event.ModeName(e.Mode)))
	case event.ZnodeChanged:
		w.add(short(e.Path), clean(e.Text))
	case event.ZnodeDeleted:
		w.add(short(e.Path))
	case event.ZnodeFound:
		w.add(short(e.Path), say("kind."+event.ModeName(e.Mode)), say("log.made", clock(e.N)))
	case event.RecipePhase:
		w.add(clean(e.Text), short(e.Path))
	case event.StoreWritten, event.StoreRefused:
		w.add(short(e.Path), clean(lettered(e.Text)))
		if e.N > 0 {
			w.add(say("log.number", strconv.FormatInt(e.N, 10)))
		}
	case event.FaultInjected:
		w.add(letterFault(e.Text))
		if fault.Missed(e) {
			w.add(say("log.missed"))
		}
	case event.ClockJumped:
		w.add(clockSet(time.Duration(e.N), say))
	case event.TryFailed:
		w.add(say("node.tries", seconds(time.Duration(e.N), 3)))
	case event.PushDelivered:
		w.add(short(e.Path), clean(lettered(e.Text)))
	case event.WatchesAsked:
		w.add(strconv.FormatInt(e.N, 10))
	case event.RunEnded, event.ConnClosed:
		w.add(clean(e.Text), say("reason."+e.Reason.String()))
	case event.RecipeNote:
		left := view.LeftOut(e)
		if left.Key == "" { // else it contains it
			w.add(clean(e.Text))
		}
		w.add(say.voice().Says(left))
	default:
		w.add(short(e.Path), clean(e.Text))
	}
	return w.String()
}

// subject returns the actor whose colour a row has: the client that an event is about, even if ZooKeeper acted.
func subject(e event.Event) event.Actor {
	if e.Actor == event.ZooKeeper && e.Peer > 0 && sessions(e.Kind) {
		return e.Peer
	}
	return e.Actor
}

// asked returns a request in words.
func asked(op event.Op, path string, say Say) string {
	if op == event.NoOp {
		return short(path)
	}
	return say("op."+op.String(), short(path))
}

func short(path string) string {
	if path == "" {
		return ""
	}
	return Short(path)
}

// letterFault writes a fault with the client's letter: pause A at 2s for 15s.
func letterFault(text string) string {
	return clean(lettered(text))
}

// lettered replaces client names by letters: client-2's session becomes B's session.
func lettered(text string) string {
	const name = "client-"
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, name)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		digits := len(after) - len(strings.TrimLeft(after, "0123456789"))
		if a, ok := ParseClient(name + after[:digits]); ok {
			b.WriteString(a.Letter())
		} else {
			b.WriteString(name + after[:digits])
		}
		text = after[digits:]
	}
}

// nouns joins non-empty parts by spaces.
type nouns struct{ parts []string }

func (w *nouns) add(parts ...string) {
	for _, p := range parts {
		if p != "" {
			w.parts = append(w.parts, p)
		}
	}
}

func (w *nouns) String() string { return strings.Join(w.parts, " ") }
