package panes_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/replay"
)

// script makes a log of lines like
//
//	5s create A /app/lock/lock-0000000001 data
//
// one transaction each: session, found, create, delete, set, close, expire, and the words of wire. Clients are letters,
// and ? is an unknown client. After a found znode stands how long before it was created. A znode created with data
// takes as many transactions more.
type script struct {
	t       *testing.T
	history *view.History
	host    event.Host
	at      time.Duration
	zxid    int64
	shown   string                 // path of the last answers
	owned   map[string]event.Actor // by path
	changed map[string]event.Seq   // by path: the last change
}

const scriptWall = 1_700_000_000_000 // 2023-11-14 22:13:20

func newScript(t *testing.T, d *datadriven.TestData) *script {
	s := &script{t: t, owned: map[string]event.Actor{}, changed: map[string]event.Seq{}}
	host := ""
	d.ScanArgs(t, "host", &host)
	s.host = event.Host(host)
	s.history = view.NewHistoryFor(event.Header{Host: s.host, Root: "/app"})
	started := event.Event{Kind: event.RunStarted, Path: "/app"}
	if !d.HasArg("no-wall") {
		started.N = scriptWall
	}
	s.add(started)
	for _, line := range strings.Split(d.Input, "\n") {
		s.line(strings.Fields(line))
	}
	return s
}

func (s *script) add(e event.Event) event.Seq {
	e.At = s.at
	s.history.Append(e)
	return event.Seq(s.history.Len())
}

func letter(name string) event.Actor {
	if name == "?" {
		return 0
	}
	return event.Actor(name[0]-'A') + 1
}

func sessionOf(a event.Actor) int64 {
	if a == 0 {
		return 0
	}
	return 0x1000 + int64(a)
}

func (s *script) line(words []string) {
	at, err := time.ParseDuration(words[0])
	if err != nil {
		s.t.Fatal(err)
	}
	s.at, s.zxid = at, s.zxid+1
	who, rest := letter(words[2]), words[3:]
	arg := func(i int) string {
		if i < len(rest) {
			return rest[i]
		}
		return ""
	}
	switch words[1] {
	case "session":
		timeout, _ := time.ParseDuration(arg(0))
		s.add(event.Event{Kind: event.ClientStarted, Actor: who, Text: arg(1)})
		s.add(event.Event{Kind: event.SessionCreated, Peer: who, Session: sessionOf(who), N: int64(timeout)})
	case "found":
		before, _ := time.ParseDuration(arg(2))
		s.owned[arg(0)] = who
		s.add(event.Event{Kind: event.ZnodeFound, Path: arg(0), Peer: who, Session: sessionOf(who), Text: arg(1),
			Mode: modeOf(arg(0), who), Zxid: s.zxid, N: scriptWall - before.Milliseconds()})
	case "create":
		owner := who
		if arg(1) == "stays" {
			owner = 0
		}
		before, _ := strconv.ParseInt(arg(2), 10, 64)
		s.owned[arg(0)] = owner
		s.changed[arg(0)] = s.add(event.Event{Kind: event.ZnodeCreated, Path: arg(0), Peer: who, Mode: modeOf(arg(0), owner),
			Session: sessionOf(owner), Text: arg(1), N: int64(len(arg(1))), Zxid: s.zxid - before})
	case "set":
		n, _ := strconv.Atoi(arg(1))
		s.changed[arg(0)] = s.add(event.Event{Kind: event.ZnodeChanged, Path: arg(0), Peer: who, N: int64(n), Zxid: s.zxid})
	case "delete":
		reason := event.ByOp
		if who == 0 {
			reason = event.ByUnknown
		}
		s.gone(arg(0), who, reason, 0)
	case "close":
		s.end(who, event.SessionClosed, event.BySessionClosed)
	case "expire":
		s.end(who, event.SessionExpired, event.BySessionExpired)
	default:
		s.wire(words[1], who, rest)
	}
}

// watchKinds maps the names in a script to kinds of watches.
var watchKinds = map[string]event.Watch{"list": event.ChildWatch, "stays": event.PersistentWatch,
	"below": event.RecursiveWatch}

// wire adds what a client and its server exchange.
func (s *script) wire(word string, who event.Actor, rest []string) {
	switch word {
	case "fire":
		s.add(event.Event{Kind: event.WatchFired, Peer: who, Path: rest[0], Cause: s.changed[rest[len(rest)-1]], Type: 4})
	case "watch":
		kind := event.DataWatch
		if len(rest) > 1 {
			kind = watchKinds[rest[1]]
		}
		s.add(event.Event{Kind: event.WatchSet, Peer: who, Path: rest[0], Watch: kind})
	case "said-watch":
		s.add(event.Event{Kind: event.WatchSet, Peer: who, Path: rest[0], Watch: event.DataWatch, Reason: event.ServerSays})
	case "spent":
		s.add(event.Event{Kind: event.WatchRemoved, Peer: who, Path: rest[0], Cause: s.changed[rest[0]],
			Reason: event.ServerSays})
	case "asked":
		s.add(event.Event{Kind: event.WatchesAsked})
	case "located":
		s.add(event.Event{Kind: event.SessionLocated, Peer: who, Session: sessionOf(who), Text: rest[0] + " " + rest[1]})
	case "silent":
		d, _ := time.ParseDuration(rest[0])
		e := event.Event{Kind: event.SessionSilent, Peer: who, Session: sessionOf(who), N: int64(d)}
		if len(rest) > 1 {
			e.Reason = event.BySessionExpired
		}
		s.add(e)
	case "heard":
		s.add(event.Event{Kind: event.SessionHeard, Peer: who, Session: sessionOf(who)})
	case "left":
		reasons := map[string]event.Reason{"nodes": event.LeftNodes, "nothing": event.LeftNothing,
			"missing": event.LeftMissing}
		n, _ := strconv.ParseInt(rest[len(rest)-1], 10, 64)
		s.add(event.Event{Kind: event.RecipeNote, Reason: reasons[rest[0]], N: n})
	case "unseen":
		d, _ := time.ParseDuration(rest[0])
		s.add(event.Event{Kind: event.Disconnected, Text: "connection refused", N: d.Milliseconds()})
	case "seen":
		s.add(event.Event{Kind: event.Reconnected})
	case "hear":
		s.add(event.Event{Kind: event.TxnApplied, Peer: who, Session: sessionOf(who)})
	case "cut":
		s.add(event.Event{Kind: event.ConnClosed, Actor: who, Reason: event.ConnLost})
	default:
		s.t.Fatalf("what is %s?", word)
	}
}

func (s *script) gone(path string, who event.Actor, reason event.Reason, cause event.Seq) {
	delete(s.owned, path)
	s.changed[path] = s.add(event.Event{Kind: event.ZnodeDeleted, Path: path, Peer: who, Reason: reason, Zxid: s.zxid,
		Cause: cause})
}

func (s *script) end(who event.Actor, kind event.Kind, reason event.Reason) {
	cause := s.add(event.Event{Kind: kind, Peer: who, Session: sessionOf(who), Zxid: s.zxid})
	for path, owner := range s.owned {
		if owner == who {
			s.gone(path, who, reason, cause)
		}
	}
}

// modeOf guesses a znode's mode from its name and its owner.
func modeOf(path string, owner event.Actor) uint8 {
	return uint8(replay.GuessMode(path, owner != 0, 0))
}
