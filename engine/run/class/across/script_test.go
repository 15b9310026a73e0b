package across_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/class"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// admin sees what NATS has, and has leases expire when the test wants it, not when the machine is slow.
type admin struct {
	t      testing.TB
	ctx    context.Context
	bus    *shared.Bus
	owners jetstream.KeyValue
}

func newAdmin(t testing.TB, n *natstest.Server) *admin {
	t.Helper()
	a := &admin{t: t, ctx: patient(t)}
	var err error
	if a.bus, err = shared.Open(a.ctx, shared.Config{URL: n.URL(), Lease: unhurried}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.bus.Close)
	conn, err := nats.Connect(n.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if a.owners, err = js.KeyValue(a.ctx, "zkviz-owners"); err != nil {
		t.Fatal(err)
	}
	return a
}

// expire ends the lease of a name, without a word to its owner.
func (a *admin) expire(name string) {
	a.t.Helper()
	if err := a.owners.Delete(a.ctx, name); err != nil {
		a.t.Fatal(err)
	}
}

var errEnough = errors.New("that's enough")

// entries returns what the log has now.
func (a *admin) entries(name string) (all []class.Entry) {
	a.t.Helper()
	log, err := a.bus.Log(name)
	if err != nil {
		a.t.Fatal(err)
	}
	last, err := log.Last(a.ctx)
	if err != nil {
		a.t.Fatal(err)
	}
	if last == 0 {
		return nil
	}
	err = log.Read(a.ctx, 1, func(n uint64, data []byte) error {
		e, err := class.ReadEntry(data)
		if err != nil {
			return err
		}
		if all = append(all, e); n == last {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		a.t.Fatal(err)
	}
	return all
}

// stage is where a script plays: servers, the links to their NATS, and pages.
type stage struct {
	t       *testing.T
	ctx     context.Context
	nats    *natstest.Server
	admin   *admin
	servers map[string]*server
	links   map[string]*natstest.Relay
	pages   map[string]pupil
	waiting map[string]chan error // what a page wants, and hasn't got yet

	name, secret string
}

// TestServersGolden plays a class at several servers, some of which lose the others or die.
func TestServersGolden(t *testing.T) {
	n := natstest.Start(t)
	s := &stage{t: t, ctx: patient(t), nats: n, servers: map[string]*server{}, links: map[string]*natstest.Relay{},
		pages: map[string]pupil{}, waiting: map[string]chan error{}}
	s.admin = newAdmin(t, n)
	golden.Script(t, "testdata/servers", func(_ *testing.T, d *datadriven.TestData) string {
		if do := s.commands()[d.Cmd]; do != nil {
			return do(d)
		}
		t.Fatalf("%s: no command %s", d.Pos, d.Cmd)
		return ""
	})
}

func (s *stage) commands() map[string]func(*datadriven.TestData) string {
	return map[string]func(*datadriven.TestData) string{
		"serve": s.serve, "stop": s.stop, "cut": s.cut, "heal": s.heal, "expire": s.expire, "owns": s.owns,
		"begin": s.begin, "enter": s.enter, "do": s.do, "try": s.try, "done": s.done, "until": s.until, "log": s.log,
		"settled": s.settled, "same": s.same,
	}
}

// of returns an argument of a command.
func (s *stage) of(d *datadriven.TestData, arg string) (value string) {
	d.ScanArgs(s.t, arg, &value)
	return value
}

func (s *stage) serve(d *datadriven.TestData) string {
	on := s.of(d, "on")
	s.links[on] = s.nats.Relay(s.t)
	s.servers[on] = serve(s.t, shared.Config{URL: s.links[on].URL(), Lease: unhurried})
	return ""
}

func (s *stage) stop(d *datadriven.TestData) string {
	on := s.of(d, "on")
	s.servers[on].stop()
	delete(s.servers, on)
	return ""
}

func (s *stage) cut(d *datadriven.TestData) string { s.links[s.of(d, "on")].Cut(); return "" }

func (s *stage) heal(d *datadriven.TestData) string { s.links[s.of(d, "on")].Heal(); return "" }

func (s *stage) expire(*datadriven.TestData) string { s.admin.expire(s.name); return "" }

// owns waits until a server decides.
func (s *stage) owns(d *datadriven.TestData) string {
	for on := s.of(d, "on"); ; time.Sleep(time.Millisecond) {
		if owned, _ := s.servers[on].lines.Stats(); owned > 0 {
			return ""
		}
		if s.ctx.Err() != nil {
			s.t.Fatalf("%s owns nothing", on)
		}
	}
}

func (s *stage) begin(d *datadriven.TestData) string {
	var err error
	if s.name, s.secret, err = s.servers[s.of(d, "on")].Begin(s.ctx, "x", class.Place{Page: "/lab"}); err != nil {
		return err.Error() + "\n"
	}
	return ""
}

func (s *stage) enter(d *datadriven.TestData) string {
	s.pages[s.of(d, "who")] = s.servers[s.of(d, "on")].enter(s.name, "x")
	return ""
}

// do has a page want something, and waits for it.
func (s *stage) do(d *datadriven.TestData) string {
	s.try(d)
	return s.done(d)
}

// try has a page want something.
func (s *stage) try(d *datadriven.TestData) string {
	who := s.of(d, "who")
	text := strings.NewReplacer("SECRET", s.secret, "KEY", key(who)).Replace(d.Input)
	p, done := s.pages[who], make(chan error, 1)
	go func() { done <- p.try("%s", text) }()
	s.waiting[who] = done
	return ""
}

func (s *stage) done(d *datadriven.TestData) string {
	select {
	case err := <-s.waiting[s.of(d, "who")]:
		if err != nil {
			return fmt.Sprintf("refused: %s\n", sentence.From(err))
		}
		return "done\n"
	case <-s.ctx.Done():
		s.t.Fatalf("%s: nothing comes", d.Pos)
		return ""
	}
}

// until waits until a page is told something.
func (s *stage) until(d *datadriven.TestData) string {
	s.pages[s.of(d, "who")].until(strings.TrimSpace(d.Input))
	return ""
}

// log prints the entries, without what is different each time.
func (s *stage) log(*datadriven.TestData) string {
	var b strings.Builder
	for i, e := range s.admin.entries(s.name) {
		e.AtMS, e.Hash, e.Class = 0, "", ""
		if e.Turn > 0 {
			e.Turn = 1
		}
		for on, server := range s.servers {
			e.By = strings.ReplaceAll(e.By, server.lines.Server(), on)
		}
		e.By = gone.ReplaceAllString(e.By, "(gone)-")
		fmt.Fprintf(&b, "%d %s\n", i+1, class.AppendEntry(nil, e))
	}
	return b.String()
}

var gone = regexp.MustCompile(`^[a-z2-7]{10}-`)

// settled waits until the log has so many places: they come into it a moment after they are shown.
func (s *stage) settled(d *datadriven.TestData) string {
	var led int
	d.ScanArgs(s.t, "led", &led)
	isOther := func(e class.Entry) bool { return e.Kind != class.Led }
	for s.ctx.Err() == nil {
		if len(slices.DeleteFunc(s.admin.entries(s.name), isOther)) >= led {
			return ""
		}
		time.Sleep(time.Millisecond)
	}
	s.t.Fatalf("%s: the log has fewer", d.Pos)
	return ""
}

// same waits until all servers have all entries, and checks that they have made the same of them.
func (s *stage) same(*datadriven.TestData) string {
	all := s.admin.entries(s.name)
	var want string
	for on, server := range s.servers {
		c := server.find(s.name)
		for news := c.Room().Next(); entriesOf(c) < len(all); news = c.Room().Next() {
			if entriesOf(c) < len(all) {
				<-news
			}
		}
		if got := stateOf(c); want != "" && got != want {
			s.t.Errorf("%s has\n%s\nand another has\n%s", on, got, want)
		} else {
			want = got
		}
	}
	return fmt.Sprintf("%d servers have %d entries\n", len(s.servers), len(all))
}

func entriesOf(c *class.Class) (n int) {
	c.Read(func(s *class.State) { n = s.Entries })
	return n
}
