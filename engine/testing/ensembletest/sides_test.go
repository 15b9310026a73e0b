// Package ensembletest compares the embedded ensemble with servers of Apache ZooKeeper: three and five, with an
// observer. The tests do the same to both. The servers' messages and what clients see must be equal. It contains
// only tests.
package ensembletest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// The settings of both sides. A server that is silent for 2.5 seconds is given up.
const (
	tick    = 500 * time.Millisecond
	timeout = time.Hour // of sessions: none expires
)

// size is the number of servers. Observers have the numbers after the voters.
type size struct{ voters, observers int }

// side is an ensemble of one kind. Servers are numbered from 1.
type side interface {
	addr(n int) string
	leader() int // 0 for none
	crash(n int)
	// powerOff is like crash, and also loses messages of the server that have not arrived.
	powerOff(n int)
	start(n int)
	// isolate partitions a server from the others until heal.
	isolate(n int)
	heal()
	// logged reports whether a server has a write of the path in its log, safe from its crash.
	logged(n int, path string) bool
	// packets returns the messages between learners and their leader since the last call, without pings. votes
	// returns the votes sent in elections.
	packets() []packet
	votes() []vote
}

// packet is a message between two servers.
type packet struct {
	from, to int
	what     string
	zxid     int64
}

// vote is an election message between two servers.
type vote struct {
	from, to int
	looking  bool // the sender has no leader
	ballot
}

// ballot is the content of a vote.
type ballot struct{ round, epoch, zxid, leader int64 }

// bothSides runs a test on the embedded ensemble and on Apache's.
func bothSides(t *testing.T, n size, test func(t *testing.T, l *lab)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, &lab{side: startEmbedded(t, n), t: t, size: n})
	})
	t.Run("Apache", func(t *testing.T) {
		t.Parallel()
		test(t, &lab{side: startApache(t, n), t: t, size: n})
	})
}

// heard collects messages as they arrive.
type heard struct {
	mu    sync.Mutex
	list  []packet
	voted []vote
}

func (h *heard) hear(p packet) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, p)
}

func (h *heard) hearVote(v vote) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.voted = append(h.voted, v)
}

func (h *heard) packets() []packet {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.list
	h.list = nil
	return list
}

func (h *heard) votes() []vote {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.voted
	h.voted = nil
	return list
}

// embedded is an embed.Ensemble.
type embedded struct {
	heard
	t       *testing.T
	e       *embed.Ensemble
	addrs   []string
	ballots [embed.MaxServers + 1]ballot // by server
	looking [embed.MaxServers + 1]bool

	disks    sync.Mutex // guards the fields below
	proposed map[string]int64
	synced   [embed.MaxServers + 1]int64
}

func startEmbedded(t *testing.T, n size) side {
	e, err := embed.ListenEnsemble(embed.EnsembleConfig{
		Servers: n.voters, Observers: n.observers, Config: embed.Config{Tick: tick, MaxTimeout: timeout},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &embedded{t: t, e: e, addrs: strings.Split(e.ConnectString(), ","), proposed: map[string]int64{}}
	t.Cleanup(func() { _ = e.Close() })
	if err := e.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	begun := make(chan struct{})
	go func() {
		_ = e.Observe(context.Background(), "/", s, 0, func(func(event.Event) event.Seq) { close(begun) })
	}()
	<-begun
	return s
}

// Append handles the log's next event.
func (s *embedded) Append(e event.Event) {
	n := e.Actor.Number()
	switch {
	case e.Kind == event.TxnProposed, e.Kind == event.LogSynced:
		s.writes(n, e)
	case e.Kind == event.ServerPhase:
		s.looking[n] = e.Peer == event.ZooKeeper
	case e.Kind == event.VoteCast:
		s.ballots[n] = ballot{e.N, int64(e.Code), e.Zxid, int64(e.Peer.Number())}
	case e.Kind == event.MsgSent && e.Op == event.Notification:
		s.hearVote(vote{n, e.Peer.Number(), s.looking[n], s.ballots[n]})
	default:
		if p, ok := packetOf(e); ok {
			if p.what == "SYNC" && s.leader() == p.to {
				p.what = "REQUEST" // ZooKeeper packs it up like a write
			}
			s.hear(p)
		}
	}
}

// writes handles an event about a server's log.
func (s *embedded) writes(n int, e event.Event) {
	s.disks.Lock()
	defer s.disks.Unlock()
	if e.Kind == event.LogSynced {
		s.synced[n] = e.Zxid
	} else {
		s.proposed[e.Path] = e.Zxid
	}
}

func (s *embedded) logged(n int, path string) bool {
	s.disks.Lock()
	defer s.disks.Unlock()
	z := s.proposed[path]
	return z > 0 && s.synced[n] >= z
}

// packetOf returns the message between a learner and its leader that an event reports, without pings.
func packetOf(e event.Event) (p packet, ok bool) {
	if e.Kind != event.MsgSent || e.Peer.Kind() != event.AServer || names[e.Op] == "" {
		return p, false
	}
	return packet{e.Actor.Number(), e.Peer.Number(), names[e.Op], e.Zxid}, true
}

var names = map[event.Op]string{
	event.Forward: "REQUEST", event.Proposal: "PROPOSAL", event.Ack: "ACK", event.Commit: "COMMIT",
	event.Revalidate: "REVALIDATE", event.ServerSync: "SYNC", event.NewLeader: "NEWLEADER",
	event.FollowerInfo: "FOLLOWERINFO", event.UpToDate: "UPTODATE", event.Diff: "DIFF", event.Trunc: "TRUNC",
	event.Snap: "SNAP", event.LeaderInfo: "LEADERINFO", event.AckEpoch: "ACKEPOCH", event.Inform: "INFORM",
	event.ObserverInfo: "OBSERVERINFO",
}

func (s *embedded) addr(n int) string { return s.addrs[n-1] }

func (s *embedded) leader() int { return s.e.Leader() }

func (s *embedded) inject(format string, args ...any) {
	s.t.Helper()
	f, err := fault.Parse(fault.WithTime(fmt.Sprintf(format, args...), 0))
	if err == nil {
		err = s.e.Inject(f)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *embedded) crash(n int)    { s.inject("crash server-%d", n) }
func (s *embedded) powerOff(n int) { s.inject("power server-%d for 1h", n) }
func (s *embedded) start(n int)    { s.inject("start server-%d", n) }

func (s *embedded) heal() { s.e.Heal() }

func (s *embedded) isolate(n int) {
	var others []string
	for i := 1; i <= len(s.addrs); i++ {
		if i != n {
			others = append(others, fmt.Sprintf("server-%d", i))
		}
	}
	s.inject("partition server-%d | %s for 1h", n, strings.Join(others, " "))
}

// real is an apache.Ensemble.
type real struct {
	heard
	t *testing.T
	e *apache.Ensemble
}

func startApache(t *testing.T, n size) side {
	zktest.Need(t)
	s := &real{t: t}
	e, err := apache.StartEnsemble(apache.EnsembleConfig{
		Config: apache.Config{Tick: tick, HeapMB: 96}, Servers: n.voters, Observers: n.observers,
		Heard: func(p apache.Packet) {
			switch p.Type {
			case apache.Ping:
			case apache.Notification:
				v := p.Vote
				s.hearVote(vote{p.From, p.To, v.Looking, ballot{v.Round, v.Epoch, p.Zxid, int64(v.Leader)}})
			default:
				s.hear(packet{p.From, p.To, p.Name(), p.Zxid})
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	s.e = e
	t.Cleanup(func() {
		if t.Failed() {
			for i, one := range e.Servers {
				lines := strings.Split(one.Log(), "\n")
				t.Logf("server %d: %s", i+1, strings.Join(lines[max(0, len(lines)-60):], "\n"))
			}
		}
	})
	return s
}

func (s *real) addr(n int) string { return s.e.Servers[n-1].Addr }
func (s *real) leader() int       { return s.e.Leader() }
func (s *real) crash(n int)       { s.e.Servers[n-1].Kill() }
func (s *real) powerOff(n int)    { s.crash(n) } // after healing, waiting messages are lost with their connection

func (s *real) start(n int) {
	s.t.Helper()
	if err := s.e.Servers[n-1].Launch(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *real) isolate(n int)                  { s.e.Isolate(n) }
func (s *real) heal()                          { s.e.Heal() }
func (s *real) logged(n int, path string) bool { return s.e.Servers[n-1].Logged(path) }
