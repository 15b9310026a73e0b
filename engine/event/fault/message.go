package fault

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Message names a message between two servers: the Nth with this Op that From has sent to To in the
// run, from 1. Since a run's log is always the same, so is what a name stands for.
type Message struct {
	Op       event.Op
	Nth      int
	From, To int // servers, from 1
}

// toWord precedes the server that a message goes to.
const toWord = "to"

// String returns the message's name, as in "PROPOSAL 2 from server-3 to server-1".
func (m Message) String() string {
	return m.Op.String() + " " + strconv.Itoa(m.Nth) + " " + fromWord + " " + memberWord + strconv.Itoa(m.From) + " " +
		toWord + " " + memberWord + strconv.Itoa(m.To)
}

// Named reports whether messages of this sort have names: votes, and those on the connection between a leader and another
// server, except heartbeats.
func Named(op event.Op) bool {
	return op >= event.Notification && op <= event.ServerSync && op != event.ServerPing
}

// parseMessage reads a message's name.
func parseMessage(w []string) (m Message, err error) {
	var ok bool
	if m.Op, ok = event.ParseOp(w[0]); !ok || !Named(m.Op) {
		return Message{}, sentence.Error("bad.fault.message", sentence.Quote(w[0]))
	}
	if m.Nth, err = strconv.Atoi(w[1]); err != nil || m.Nth < 1 {
		return Message{}, sentence.Error("bad.fault.nth", sentence.Quote(w[1]))
	}
	for i, end := range []*int{&m.From, &m.To} {
		if *end, ok = numbered(memberWord, w[3+2*i]); !ok || *end > MaxServer {
			return Message{}, sentence.Error("bad.fault.member", sentence.Quote(w[3+2*i]))
		}
	}
	return m, nil
}

// validate returns an error if no ensemble with so many servers has such a message.
func (m Message) validate(it sentence.Arg, servers int) error {
	switch highest := max(m.From, m.To); {
	case !Named(m.Op):
		return sentence.Error("bad.fault.cause", it, sentence.Cause(
			sentence.Error("bad.fault.message", sentence.Quote(m.Op.String()))))
	case m.Nth < 1:
		return sentence.Error("bad.fault.cause", it, sentence.Cause(
			sentence.Error("bad.fault.nth", sentence.Quote(strconv.Itoa(m.Nth)))))
	case m.From == m.To:
		return sentence.Error("bad.fault.cause", it, sentence.Cause(sentence.Error("bad.fault.itself")))
	case highest > servers, min(m.From, m.To) < 1:
		if highest <= servers {
			highest = min(m.From, m.To)
		}
		return sentence.Error("bad.fault.among-servers", it, sentence.Number(highest), sentence.Number(servers))
	}
	return nil
}

// Missed reports whether an event is a fault on a message that wasn't on its way.
func Missed(e event.Event) bool {
	if e.Kind != event.FaultInjected || e.Cause != 0 {
		return false
	}
	f, err := Parse(e.Text) // in a trace that somebody wrote it may not parse
	return err == nil && f.Kind.Target() == ToMessage
}
