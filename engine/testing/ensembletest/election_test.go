package ensembletest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/virtual"
	"github.com/zkviz/zkviz/engine/zookeeper/ensemble"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// joins is the conversation of an up-to-date server and its leader until it serves.
const joins = "ERINFO <LEADERINFO ACKEPOCH <DIFF <NEWLEADER ACK <UPTODATE ACK"

// election compares the messages after a leader's death, from the servers that find another leader and from the old
// one when it returns. They must equal those of a simulated ensemble of that size. The number of votes depends on
// the servers' speed, so the test checks only what must hold of votes: see judge.
func election(l *lab) {
	simulated := newSimulated(l.size)
	old := l.leader()
	l.level(l.client(l.follower(true)))
	_ = l.votes()
	l.crash(old)
	leader := l.awaitLeader(old)
	for _, n := range l.all()[l.voters:] {
		l.awaitServing(n)
	}
	said := l.settled()
	simulated.crashLeader()
	for _, n := range l.all() {
		if n != old && n != leader {
			compare(l, &said, n, simulated)
		}
	}
	if wrong := judge(l.votes(), leader, l.voters); wrong != "" {
		l.wrongf("%s", wrong)
	}
	l.start(old)
	l.awaitServing(old)
	simulated.startOld()
	said = l.settled()
	compare(l, &said, old, simulated)
}

// beginning compares the messages when all servers have ended and start again. The servers' speed decides who leads.
func beginning(l *lab) {
	simulated := newSimulated(l.size)
	l.beginAgain()
	said, leader := l.settled(), l.leader()
	for _, n := range l.all() {
		if n != leader {
			compare(l, &said, n, simulated)
		}
	}
}

// compare compares the messages of a server and its leader with those in a simulated ensemble. It adds what is still
// to come to said.
func compare(l *lab, said *[]packet, n int, simulated *simulated) {
	want := talk(simulated.said, simulated.like(n, l))
	for end := time.Now().Add(patience / 10); talk(*said, n) != want && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
		*said = append(*said, l.packets()...)
	}
	got := talk(*said, n)
	if got != want || !strings.HasSuffix(got, joins) {
		l.wrongf("server %d and its leader say\n%s\nand in a simulated ensemble\n%s", n, got, want)
	}
}

// talk returns the messages between a server and its leader since the server last came to it, in order.
func talk(said []packet, learner int) string {
	var words []string
	for _, p := range said {
		switch {
		case p.from == learner && strings.HasSuffix(p.what, "ERINFO") && p.what != "LEADERINFO":
			words = []string{p.what}
		case len(words) == 0:
		case p.from == learner:
			words = append(words, p.what)
		case p.to == learner:
			words = append(words, "<"+p.what)
		}
	}
	return strings.Join(words, " ")
}

// judge returns what is wrong with the votes of an election that leader has won, or "". No server may change to a
// worse vote, and a quorum must have voted for the leader in one round.
func judge(votes []vote, leader, voters int) string {
	last := map[[2]int]ballot{}
	elected := map[int64][]int{} // by round, the voters for the leader
	for _, v := range votes {
		if !v.looking || v.from > voters || v.to > voters {
			continue
		}
		link := [2]int{v.from, v.to}
		if b, voted := last[link]; voted && worse(v.ballot, b) {
			return fmt.Sprintf("server %d votes %+v, and then %+v", v.from, b, v.ballot)
		}
		last[link] = v.ballot
		if v.leader == int64(leader) && !slices.Contains(elected[v.round], v.from) {
			elected[v.round] = append(elected[v.round], v.from)
		}
	}
	for _, who := range elected {
		if len(who) > voters/2 {
			return ""
		}
	}
	return fmt.Sprintf("server %d leads, and was elected by %v", leader, elected)
}

// worse reports whether a vote loses against another.
func worse(a, b ballot) bool {
	return slices.Compare([]int64{a.round, a.epoch, a.zxid, a.leader}, []int64{b.round, b.epoch, b.zxid, b.leader}) < 0
}

func TestJudge(t *testing.T) {
	says := func(from, to int, round, leader int64) vote { return vote{from, to, true, ballot{round, 1, 1, leader}} }
	for _, x := range []struct {
		votes []vote
		right bool
	}{
		{[]vote{says(1, 2, 2, 1), says(2, 1, 2, 2), says(1, 2, 2, 2)}, true},
		{[]vote{says(1, 2, 2, 2), says(2, 1, 2, 2), says(1, 2, 2, 1)}, false},
		{[]vote{says(1, 2, 2, 2), says(2, 1, 3, 2)}, false},
		{[]vote{says(2, 1, 2, 2), says(2, 3, 2, 2)}, false},
	} {
		if wrong := judge(x.votes, 2, 3); (wrong == "") != x.right {
			t.Errorf("%+v: %q", x.votes, wrong)
		}
	}
}

// simulated is an ensemble in virtual time.
type simulated struct {
	*virtual.World
	said        []packet
	old, leader int
}

func newSimulated(n size) *simulated {
	s := &simulated{World: virtual.New(ensemble.Config{Voters: n.voters, Observers: n.observers, Tick: tick}, 1, 0)}
	s.Start()
	s.pass()
	return s
}

// pass lets time pass until all is quiet, and records the messages.
func (s *simulated) pass() {
	s.Record.Events = nil
	s.Run(s.Now + 10*time.Second)
	s.said = nil
	for _, e := range s.Record.Events {
		if p, ok := packetOf(e); ok {
			s.said = append(s.said, p)
		}
	}
	s.leader = int(s.Leader())
}

func (s *simulated) crashLeader() {
	s.old = s.leader
	s.Server(s.Leader()).Propose(virtual.Word("x"), 0)
	s.pass()
	s.Crash(zab.ID(s.old), 0, 0)
	s.pass()
}

func (s *simulated) startOld() {
	s.StartAgain(zab.ID(s.old), 0)
	s.pass()
}

// like returns the simulated server that corresponds to server n: it came to its leader as a follower or an observer.
func (s *simulated) like(n int, l *lab) int {
	if n > l.voters {
		return n
	}
	return 1 + slices.IndexFunc(l.all(), func(x int) bool { return talk(s.said, x) != "" })
}
