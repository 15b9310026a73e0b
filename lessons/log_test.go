package lessons_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// logOf reads a small log, an event a line:
//
//	[TIME] WHO KIND [/PATH] [by=WHO] [cause=SEQ] [op=… code=… zxid=… session=… n=… type=…] [the text]
//
// WHO is zk, a client's letter, or #27 for those that have none, or a server, S1, or a node, N1. A time holds until
// the next one is told. The first line may be "header" with what differs from three clients under /r whose sessions
// last for 10 s.
func logOf(t *testing.T, text string) *event.Log {
	t.Helper()
	log := &event.Log{Header: event.Header{Host: event.Simulated, Root: "/r", Clients: 3,
		SessionTimeout: 10 * time.Second}}
	var at time.Duration
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if words[0] == "header" {
			for _, w := range words[1:] {
				setHeader(t, &log.Header, w)
			}
			continue
		}
		if d, err := time.ParseDuration(words[0]); err == nil {
			at, words = d, words[1:]
		}
		e := event.Event{Seq: event.Seq(len(log.Events) + 1), At: at, Actor: actorOf(t, words[0])}
		var ok bool
		if e.Kind, ok = event.ParseKind(words[1]); !ok {
			t.Fatalf("%q: there is no kind %s", line, words[1])
		}
		var said []string
		for _, w := range words[2:] {
			if !setField(t, &e, w) {
				said = append(said, w)
			}
		}
		e.Text = strings.Join(said, " ")
		if reason, ok := event.ParseReason(strings.Join(said, "-")); ok && givesReason(e.Kind) {
			e.Text, e.Reason = "", reason
		}
		log.Append(e)
	}
	return log
}

func setHeader(t *testing.T, h *event.Header, word string) {
	t.Helper()
	key, value, _ := strings.Cut(word, "=")
	var err error
	switch key {
	case "clients":
		h.Clients, err = strconv.Atoi(value)
	case "timeout":
		h.SessionTimeout, err = time.ParseDuration(value)
	case "host":
		h.Host = event.Host(value)
	default:
		t.Fatalf("a header has no %q", word)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func actorOf(t *testing.T, word string) event.Actor {
	t.Helper()
	switch {
	case word == "zk":
		return event.ZooKeeper
	case len(word) == 1 && word[0] >= 'A' && word[0] <= 'Z':
		return event.Actor(word[0] - 'A' + 1)
	case len(word) == 2 && word[0] == 'S':
		return event.Server(int(word[1] - '0'))
	case len(word) == 2 && word[0] == 'N':
		return event.Node(int(word[1] - '0'))
	}
	n, err := strconv.Atoi(strings.TrimPrefix(word, "#"))
	if err != nil {
		t.Fatalf("nobody is called %q", word)
	}
	return event.Actor(n)
}

// setField reports whether the word was a field's.
func setField(t *testing.T, e *event.Event, word string) bool {
	t.Helper()
	if strings.HasPrefix(word, "/") {
		e.Path = word
		return true
	}
	key, value, ok := strings.Cut(word, "=")
	if !ok {
		return false
	}
	n, err := strconv.ParseInt(value, 10, 64)
	known := err == nil
	switch key {
	case "by":
		e.Peer, known = actorOf(t, value), true
	case "op":
		e.Op, known = event.ParseOp(value)
	case "type":
		e.Type, known = event.ParseType(value)
	case "code":
		e.Code = int32(n)
	case "zxid":
		e.Zxid = n
	case "session":
		e.Session = n
	case "n":
		e.N = n
	case "cause":
		e.Cause = event.Seq(n)
	default:
		known = false
	}
	if !known {
		t.Fatalf("an event has no %q", word)
	}
	return true
}

func givesReason(k event.Kind) bool {
	switch k {
	case event.ZnodeDeleted, event.EntryGone, event.LockFreed, event.LeaderLost, event.ServerStopped:
		return true
	}
	return false
}
