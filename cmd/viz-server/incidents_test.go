package main

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/programs"
)

// incident is something for which engineers on call are called: what programs do and what befalls them, and what they
// and their servers are asked about it.
type incident struct {
	name    string
	session time.Duration // the session timeout of programs that don't live on; sessionOfPrograms if it is 0
	secure  bool          // it happens on a server of its own, to which programs and zkviz connect by TLS
	chroot  bool          // programs and zkviz name its path below a chroot
	alarms  string        // a pattern for each trouble that commands that go on may name, apart from silent clients
	acts    []act
}

// act is a part of an incident: its steps, then questions about how it stands.
type act struct {
	steps string // see playing.step
	asks  []asking
}

// onCall is what all incidents share: three servers, zkviz beside them in each of its ways, and what programs say.
type onCall struct {
	servers *apache.Ensemble
	conn    *zk.Conn
	book    *programs.Book
	curator *programs.Program // of all incidents that don't stop it
	pages   map[way]string    // the servers of pages, by the way in which they look
	news    map[way]*pages    // the output of commands that go on
	tap     string            // its address
	answers *answers
}

// incidentsAt is the znode below which all incidents happen.
const incidentsAt = "/incidents"

// TestIncidents plays the incidents with clients of kazoo, Curator and go-zookeeper on three servers. What an engineer
// asks, zkviz answers in each way that can know, as programs say that it is. Incidents that spare the servers are
// played side by side, the others after them.
func TestIncidents(t *testing.T) {
	t.Parallel()
	s := startScene(t)
	t.Run("clients", func(t *testing.T) {
		for _, in := range slices.Concat(incidents, tapped) {
			t.Run(in.name, func(t *testing.T) {
				t.Parallel()
				s.play(t, in)
			})
		}
	})
	for _, in := range serverIncidents {
		t.Run(in.name, func(t *testing.T) { s.play(t, in) })
	}
	t.Logf("asked and answered:\n%s", s.answers)
}

func startScene(t *testing.T) *onCall {
	e, conn := startServers(t, 3, apache.Config{})
	programs.Need(t)
	if err := conn.AddAuth("digest", []byte("me:secret")); err != nil { // it looks where programs are
		t.Fatal(err)
	}
	if _, err := conn.Create(incidentsAt, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	s := &onCall{servers: e, conn: conn, book: programs.NewBook(t), answers: &answers{}, pages: map[way]string{},
		news: map[way]*pages{}}
	keepBusy(t, e)
	s.curator = programs.Start(t, s.book, programs.Curator, e.ConnectString(), sessionOfPrograms)
	for look, flags := range map[way][]string{read: nil, joined: {"--observe-ensemble", "auto"}} {
		s.pages[pageOf[look]] = servedUntilEnd(t, append([]string{"--zk", e.ConnectString()}, flags...)...)
		s.news[newsOf[look]] = s.goOn(t, append([]string{"locks", incidentsAt, "--zk", e.ConnectString(), "--follow",
			"--herds"}, flags...)...)
	}
	for _, page := range s.pages { // somebody has them open
		fetch(t, page+"/live/locks?path="+incidentsAt)
	}
	x := startTapOf(t, e.ConnectString(), "--addr", "127.0.0.1:0")
	s.pages[tapPage] = "http://" + x.errs.until(t, `http://(127\.0\.0\.1:\d+)`)
	s.tap, s.news[byTap] = x.errs.until(t, `connect to (127\.0\.0\.1:\d+) reach`), &x.out
	for _, look := range []way{newsOf[read], newsOf[joined]} {
		s.news[look].until(t, `( leads since )`)
	}
	return s
}

// servedUntilEnd starts a server of pages that ends with the test, and returns its address.
func servedUntilEnd(t *testing.T, args ...string) string {
	address, stop := served(t, args...)
	t.Cleanup(func() { stop() })
	return address
}

// goOn runs a command until the test ends, and returns what it prints.
func (s *onCall) goOn(t *testing.T, args ...string) *pages {
	out := &pages{new: make(chan struct{}, 1)}
	ctx, interrupt := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		execute(args, &terminal{ctx: ctx, out: out, err: out})
	}()
	t.Cleanup(func() { interrupt(); <-over })
	return out
}

// play plays an incident: act by act, what happens and what is asked then.
func (s *onCall) play(t *testing.T, in incident) {
	p := &playing{onCall: s, t: t, in: in, base: incidentsAt + "/" + in.name, running: map[string]*programs.Program{},
		relays: map[string]*clientRelay{}, own: map[way]string{},
		roles: map[string]int{"zk1": 1, "zk2": 2, "zk3": 3}}
	p.conn = s.conn
	if in.secure {
		p.startSecure()
	}
	if _, err := p.conn.Create(p.base, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	for _, a := range in.acts {
		for step := range strings.SplitSeq(a.steps, ";") {
			if words := strings.Fields(step); len(words) > 0 {
				p.step(words)
			}
		}
		for _, one := range a.asks {
			p.askAll(one)
		}
	}
	p.alarms()
	if t.Failed() {
		t.Logf("programs said\n%s", p.story())
	}
}

// sessionOfPrograms is long enough for any pause of a busy machine, so that only those sessions expire that are to.
const sessionOfPrograms = 10 * time.Minute

// timeout returns the session timeout of a program: of one that is paused (x), killed (k) or cut off (r) that of the
// incident, of the others a long one.
func (in incident) timeout(program string) time.Duration {
	if in.session == 0 || !strings.Contains("xkr", program[1:]) || program[1:] == "" {
		return sessionOfPrograms
	}
	return in.session
}

// keepBusy has somebody read at each server all the time, as on every cluster that is in use. From what a server
// answers zkviz learns what time it is there.
func keepBusy(t *testing.T, e *apache.Ensemble) {
	for _, s := range e.Servers {
		conn, _, err := zk.Connect([]string{s.Addr}, apache.MaxSession, zk.WithLogger(quietLog{}))
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var reading sync.WaitGroup
		reading.Go(func() {
			for tick := time.NewTicker(time.Second); ; {
				select {
				case <-ctx.Done():
					tick.Stop()
					return
				case <-tick.C:
					_, _, _ = conn.Exists(incidentsAt) // the server may be lost just now
				}
			}
		})
		t.Cleanup(func() { stop(); conn.Close(); reading.Wait() })
	}
}

type quietLog struct{}

func (quietLog) Printf(string, ...any) {}

// full returns the name by which a client is known to its program, which several incidents may share.
func (p *playing) full(client string) string { return client + "-" + p.in.name }
