package ensembletest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// patience bounds every wait, even on a slow machine.
const patience = 10 * time.Minute

// lab is one side with what a test does to it.
type lab struct {
	side
	t    *testing.T
	size     // of the running servers, including temporarily crashed ones
	n    int // znodes requested so far
	lost int // failed handshakes; their sessions may exist all the same
	down [embed.MaxServers + 1]bool
	// wrong is what an attempt has found wrong: see steady.
	wrong []string
}

// all returns the numbers of all servers.
func (l *lab) all() (list []int) {
	for n := 1; n <= l.voters+l.observers; n++ {
		list = append(list, n)
	}
	return list
}

// begin waits until every server serves.
func (l *lab) begin() {
	l.t.Helper()
	for _, n := range l.all() {
		l.awaitServing(n)
	}
	_ = l.settled()
}

// beginAgain stops all servers, with equal logs, and starts them.
func (l *lab) beginAgain() {
	l.t.Helper()
	l.level(l.client(l.leader()))
	for _, n := range l.all() {
		l.crash(n)
	}
	_ = l.settled()
	for _, n := range l.all() {
		l.start(n)
	}
	for _, n := range l.all() {
		l.awaitServing(n)
	}
}

func (l *lab) until(what string, so func() bool) {
	l.t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			l.giveUp("waited in vain for %s", what)
		}
	}
}

// leader returns who leads, once somebody does.
func (l *lab) leader() (n int) {
	l.t.Helper()
	l.until("a leader", func() bool { n = l.side.leader(); return n != 0 })
	return n
}

// mode returns the role that a server reports, or "" if it doesn't answer or serve.
func (l *lab) mode(n int) string {
	c, err := net.DialTimeout("tcp", l.addr(n), time.Second)
	if err != nil {
		return ""
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(2 * time.Second))
	if _, err := io.WriteString(c, "srvr"); err != nil {
		return ""
	}
	said, _ := io.ReadAll(c)
	_, mode, _ := strings.Cut(string(said), "Mode: ")
	mode, _, _ = strings.Cut(mode, "\n")
	return mode
}

func (l *lab) awaitServing(n int) {
	l.t.Helper()
	l.until(fmt.Sprintf("server %d to serve", n), func() bool { return l.mode(n) != "" })
}

// follower returns a voter that doesn't lead: the one with the lowest number if low, else the next.
func (l *lab) follower(low bool) int {
	list := l.without(l.leader())
	if low {
		return list[0]
	}
	return list[1]
}

// without returns all voters except n.
func (l *lab) without(n int) []int {
	return slices.DeleteFunc(l.all()[:l.voters], func(x int) bool { return x == n })
}

// client opens a session at a server.
func (l *lab) client(n int) *peer.Peer {
	l.t.Helper()
	var p *peer.Peer
	l.until(fmt.Sprintf("a session at server %d", n), func() bool {
		var err error
		p, err = peer.Dial(l.addr(n), wire.ConnectRequest{TimeoutMS: int32(timeout.Milliseconds())})
		if err != nil && !errors.Is(err, syscall.ECONNREFUSED) {
			l.lost++
		}
		return err == nil
	})
	l.t.Cleanup(p.Abort)
	return p
}

// create returns a request for a new znode.
func (l *lab) create() wire.Request {
	l.n++
	return wire.Request{Xid: int32(l.n), Op: wire.OpCreate, Path: fmt.Sprintf("/n%d", l.n), ACL: zoo.OpenACL()}
}

// nudgeAfter is when a server without an answer is woken. Apache's CommitProcessor (3.8.0) looks for work and then
// sleeps without looking again. A commit in between waits for the next request.
const nudgeAfter = 5 * time.Second

// do sends a request, and wakes the server if the answer takes long.
func do(p *peer.Peer, q wire.Request) (wire.Response, error) {
	if err := p.Send(q); err != nil {
		return wire.Response{}, err
	}
	nudged := make(chan struct{})
	nudge := time.AfterFunc(nudgeAfter, func() {
		defer close(nudged)
		_ = p.Send(wire.Request{Xid: wire.XidPing, Op: wire.OpPing})
	})
	defer func() {
		if !nudge.Stop() {
			<-nudged
		}
	}()
	for {
		m, err := p.Recv()
		if err != nil || !m.IsNotification && m.Response.Xid == q.Xid {
			return m.Response, err
		}
	}
}

// write creates n znodes.
func (l *lab) write(p *peer.Peer, n int) {
	l.t.Helper()
	for range n {
		if r, err := do(p, l.create()); err != nil || r.Code != zoo.OK {
			l.giveUp("a write: %v, %v", r.Code, err)
		}
	}
}

// level creates a znode. It returns when every server has logged it and knows that it is committed, and so
// everything before it. No more messages about those follow.
func (l *lab) level(p *peer.Peer) {
	l.t.Helper()
	_ = l.settled()
	r, err := do(p, l.create())
	if err != nil || r.Code != zoo.OK {
		l.giveUp("a write: %v, %v", r.Code, err)
	}
	said := 0
	l.until("what is said of a write", func() bool {
		for _, x := range l.packets() {
			if (x.what == "ACK" || x.what == "COMMIT" || x.what == "INFORM") && x.zxid == r.Zxid {
				said++
			}
		}
		return said == 2*(l.voters-1)+l.observers
	})
}

// settled returns the servers' messages once they stop sending.
func (l *lab) settled() (all []packet) {
	for quiet := 0; quiet < 10; quiet++ {
		time.Sleep(10 * time.Millisecond)
		if more := l.packets(); len(more) > 0 {
			all, quiet = append(all, more...), 0
		}
	}
	return all
}

// fill creates n znodes or a few more. On a busy machine a leader may resign.
func (l *lab) fill(n int) {
	l.t.Helper()
	begun := time.Now()
	for n > 0 {
		p := l.client(l.leader())
		for ; n > 0; n-- {
			if r, err := do(p, l.create()); err != nil || r.Code != zoo.OK {
				l.t.Logf("after %v with %d to go: %v %v", time.Since(begun), n, r.Code, err)
				break
			}
		}
		if time.Since(begun) > patience {
			l.giveUp("%d znodes could not be made", n)
		}
	}
}

// expect waits until the messages sum up to want, and accepts no more.
func (l *lab) expect(what, want string, of func([]packet) string) {
	l.t.Helper()
	var all []packet
	for end := time.Now().Add(patience / 10); of(all) != want && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		all = append(all, l.packets()...)
	}
	if got := of(append(all, l.settled()...)); got != want {
		l.wrongf("%s %q, want %q", what, got, want)
	}
}

// sum counts the messages by kind, in alphabetical order.
func sum(list []packet) string {
	count := map[string]int{}
	for _, p := range list {
		count[p.what]++
	}
	var words []string
	for what, n := range count {
		words = append(words, fmt.Sprintf("%s %d", what, n))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// TestAgainstApache does the same to both sides. The observer takes part in the first tests only.
func TestAgainstApache(t *testing.T) {
	bothSides(t, size{3, 1}, func(t *testing.T, l *lab) {
		l.run(t, "election", election)
		l.run(t, "beginning", beginning)
		l.run(t, "an observer", func(l *lab) {
			messages(l)
			l.returns(4, learnerReturns("OBSERVERINFO"))
		})
		l.leaves(4)
		for what, test := range map[string]func(l *lab){
			"messages": messages, "catching up": catchingUp, "fates": fates,
		} {
			l.run(t, what, test)
		}
		l.run(t, "clients", clients) // last: a minute later their sessions expire, which the others would count
	})
}

// TestFive does the same to five servers and an observer.
func TestFive(t *testing.T) {
	bothSides(t, size{5, 1}, func(t *testing.T, l *lab) {
		l.run(t, "election", election)
		l.run(t, "messages with an observer", messages)
		l.leaves(6)
		l.run(t, "messages", messages)
	})
}

// run runs one test, with all servers serving.
func (l *lab) run(t *testing.T, what string, test func(l *lab)) {
	t.Run(what, func(t *testing.T) {
		l.t = t
		l.steady(func() {
			l.begin()
			test(l)
		})
	})
	l.t = t
}

// leaves stops the observer for good.
func (l *lab) leaves(n int) {
	l.t.Helper()
	l.steady(func() {
		l.crash(n)
		l.observers = 0
		l.until("its end", func() bool { return l.mode(n) == "" })
	})
}

// costs counts the packets of a write. Every other voter gets a proposal, acknowledges it, and gets a commit. Every
// observer gets the transaction once it is committed.
func (l *lab) costs() string {
	n := l.voters - 1
	words := []string{fmt.Sprintf("ACK %d, COMMIT %d", n, n), fmt.Sprintf("PROPOSAL %d", n)}
	if l.observers > 0 {
		words = slices.Insert(words, 1, fmt.Sprintf("INFORM %d", l.observers))
	}
	return strings.Join(words, ", ")
}

// learnerReturns counts the messages when an up-to-date server returns. as is the packet with which it introduces
// itself.
func learnerReturns(as string) string {
	words := []string{"ACK 2", "ACKEPOCH 1", "DIFF 1", "LEADERINFO 1", "NEWLEADER 1", "UPTODATE 1", as + " 1"}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// messages checks the packets of every operation and of a server's return.
func messages(l *lab) {
	leader := l.client(l.leader())
	atLeader := l.costs()
	ask := func(p *peer.Peer, q wire.Request) func() {
		return func() {
			if _, err := do(p, q); err != nil {
				l.giveUp("a request: %v", err)
			}
		}
	}
	l.level(leader)
	type step struct {
		what string
		do   func()
		want string
	}
	take := func(steps ...step) {
		for _, x := range steps {
			x.do()
			l.expect(x.what+" costs", x.want, sum)
		}
	}
	take(step{"a write at the leader", func() { l.write(leader, 1) }, atLeader},
		step{"a sync at the leader", ask(leader, wire.Request{Op: wire.OpSync, Path: "/"}), ""},
		step{"a new session at the leader", func() { l.client(l.leader()) }, atLeader})
	learners := map[string]int{"follower": l.follower(true)}
	if l.observers > 0 {
		learners["observer"] = l.voters + l.observers
	}
	atLearner := atLeader + ", REQUEST 1"
	for kind, at := range learners {
		p := l.client(at)
		l.level(p)
		take(step{"a write at a " + kind, func() { l.write(p, 1) }, atLearner},
			step{"a write that fails at a " + kind, ask(p, wire.Request{Op: wire.OpCreate, Path: "/none/x", ACL: zoo.OpenACL()}),
				atLearner},
			step{"a read at a " + kind, ask(p, wire.Request{Op: wire.OpExists, Path: "/n1"}), ""},
			step{"a ping at a " + kind, ask(p, wire.Request{Xid: wire.XidPing, Op: wire.OpPing}), ""},
			step{"a sync at a " + kind, ask(p, wire.Request{Op: wire.OpSync, Path: "/"}), "REQUEST 1, SYNC 1"},
			step{"a new session at a " + kind, func() { l.client(at) }, atLearner},
			step{"a session that moves from a " + kind + " to the leader", func() { l.move(p, l.leader()) }, ""},
			step{"a session that moves to a " + kind, func() { l.move(leader, at) }, "REVALIDATE 2"})
	}
	l.returns(learners["follower"], learnerReturns("FOLLOWERINFO"))
}

// returns stops a server, starts it again, and checks the messages.
func (l *lab) returns(n int, want string) {
	l.t.Helper()
	_ = l.settled()
	l.bounce(n, func() {})
	l.expect(fmt.Sprintf("the end of server %d and its return costs", n), want, sum)
}

// move resumes the session of a client at another server.
func (l *lab) move(p *peer.Peer, to int) {
	l.t.Helper()
	q, err := peer.Dial(l.addr(to), wire.ConnectRequest{
		TimeoutMS: p.Welcome.TimeoutMS, Session: p.Welcome.Session, Password: p.Welcome.Password,
	})
	if err != nil || q.Welcome.Session != p.Welcome.Session {
		l.giveUp("the session does not move: %v", err)
	}
	l.t.Cleanup(q.Abort)
}

// catchingUp checks how a leader brings a server up to date. If the number of created sessions is uncertain, it
// tries again.
func catchingUp(l *lab) {
	for _, x := range situations {
		l.steady(func() {
			who := 0
			for range 3 {
				l.begin()
				lost := l.lost
				if who = x.do(l); l.lost == lost {
					break
				}
				l.t.Logf("%s: once more", x.what)
			}
			l.expect(x.what+": it is brought up to date by", x.want, func(list []packet) string { return caughtUp(list, who) })
		})
	}
}

// bounce stops a server, calls meanwhile, and starts the server again.
func (l *lab) bounce(n int, meanwhile func()) {
	l.t.Helper()
	l.crash(n)
	l.until("its end", func() bool { return l.mode(n) == "" })
	meanwhile()
	_ = l.settled()
	l.start(n)
	l.awaitServing(n)
}

// awaitLeader waits until a server other than not leads.
func (l *lab) awaitLeader(not int) (leader int) {
	l.t.Helper()
	l.until("another leader", func() bool {
		leader = l.leader()
		return leader != not
	})
	l.until("followers", func() bool {
		return !slices.ContainsFunc(l.without(not), func(n int) bool { return l.mode(n) == "" })
	})
	return leader
}

// loneTail makes a leader log a write that it can't send to anyone, and stops it.
func (l *lab) loneTail(leader int) (path string) {
	l.t.Helper()
	p := l.client(leader)
	l.level(p)
	l.isolate(leader)
	q := l.create()
	if err := p.Send(q); err != nil {
		l.giveUp("a write: %v", err)
	}
	l.until("the write in its log", func() bool { return l.logged(leader, q.Path) })
	l.powerOff(leader)
	l.until("its end", func() bool { return l.mode(leader) == "" })
	l.heal()
	return q.Path
}

// caughtUp returns how a server was last brought up to date, and how many transactions followed.
func caughtUp(list []packet, who int) string {
	how, n := "nothing", 0
	for _, p := range list {
		if p.to != who {
			continue
		}
		switch p.what {
		case "DIFF", "TRUNC", "SNAP":
			how, n = p.what, 0
		case "PROPOSAL":
			n++
		case "NEWLEADER":
			if n > 500 { // fill may create some twice
				how += " + many"
			} else if n > 0 {
				how = fmt.Sprintf("%s + %d", how, n)
			}
			n = -1 << 20
		}
	}
	return how
}
