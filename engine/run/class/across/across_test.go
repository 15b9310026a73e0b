package across_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/run/class"
	"github.com/zkviz/zkviz/engine/run/class/across"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// patience is how long a test waits for an event, and unhurried a lease that no busy machine ends.
const (
	patience  = 3 * time.Minute
	unhurried = time.Hour
)

func patient(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// server is a hall with its lines. A test stops it like a server that ends, or loses its link.
type server struct {
	*class.Hall
	t     testing.TB
	ctx   context.Context
	lines *across.Lines
	over  bool
}

func serve(t testing.TB, cfg shared.Config) *server {
	t.Helper()
	lines, err := across.New(across.Config{Shared: cfg, Within: patience})
	if err != nil {
		t.Fatal(err)
	}
	s := &server{Hall: class.NewHall(class.HallConfig{Now: time.Now, Lines: lines}), t: t, ctx: patient(t), lines: lines}
	t.Cleanup(s.stop)
	for cfg.URL != "" && !lines.Linked() { // connecting goes on beside
		time.Sleep(time.Millisecond)
	}
	return s
}

func (s *server) stop() {
	if !s.over {
		s.over = true
		s.Hall.Close()
		s.lines.Close()
	}
}

// find returns a class, as this server has it.
func (s *server) find(name string) *class.Class {
	s.t.Helper()
	c, err := s.Find(s.ctx, name)
	if err != nil {
		s.t.Fatalf("%s isn't found: %v", name, err)
	}
	return c
}

// pupil is a page at a server.
type pupil struct {
	*class.Page
	t    testing.TB
	ctx  context.Context
	said map[string]string // the latest view of each kind
}

func (s *server) enter(name, address string) pupil {
	s.t.Helper()
	p, err := s.find(name).Enter(address)
	if err != nil {
		s.t.Fatal(err)
	}
	return pupil{p, s.t, s.ctx, map[string]string{}}
}

// try has the page want something.
func (p pupil) try(format string, args ...any) error {
	p.t.Helper()
	r, err := class.ParseRequest(fmt.Appendf(nil, format, args...))
	if err != nil {
		p.t.Fatal(err)
	}
	return p.Handle(p.ctx, r)
}

// does is try for what may be.
func (p pupil) does(format string, args ...any) {
	p.t.Helper()
	if err := p.try(format, args...); err != nil {
		p.t.Fatalf(format+": %v", append(args, err)...)
	}
}

// until waits until one of the views that the page has last got of each kind has a text.
func (p pupil) until(text string) {
	p.t.Helper()
	for {
		news, rung := p.Next(), p.Rung()
		for _, view := range p.News() {
			kind, _, _ := strings.Cut(string(view), ",")
			p.said[kind] = string(view)
		}
		for _, view := range p.said {
			if strings.Contains(view, text) {
				return
			}
		}
		select {
		case <-news:
		case <-rung:
		case <-p.ctx.Done():
			p.t.Fatalf("%s doesn't come; the page has %v", text, p.said)
		}
	}
}

func key(name string) string { return name + strings.Repeat("-", 16) }

// stateOf returns all that a log has made of a class at a server.
func stateOf(c *class.Class) (text string) {
	c.Read(func(s *class.State) {
		var nobody class.Presence
		b, _ := json.Marshal([]any{s.About(&nobody, true), s.Place, s.Learners, s.Asked, s.Tasks, s.Dots(&nobody), s.Ended,
			s.Entries, s.Results()})
		text = string(b)
	})
	return text
}

// TestTwoServers has a teacher at one server and learners at both.
func TestTwoServers(t *testing.T) {
	n := natstest.Start(t)
	cfg := shared.Config{URL: n.URL(), Lease: unhurried}
	a, b := serve(t, cfg), serve(t, cfg)
	name, secret, err := a.Begin(a.ctx, "x", class.Place{Page: "/lab"})
	if err != nil {
		t.Fatal(err)
	}
	teacher, ann, bob := b.enter(name, "x"), a.enter(name, "y"), b.enter(name, "z")
	teacher.does(`{"do":"hello","secret":%q}`, secret)
	ann.does(`{"do":"join","key":%q,"name":"Ann","follows":true}`, key("ann"))
	bob.does(`{"do":"join","key":%q,"name":"Bob","follows":true}`, key("bob"))
	teacher.until(`"dots":"hh"`)
	ann.until(`"here":2`)
	teacher.does(`{"do":"lead","place":{"page":"/lessons/the-herd"}}`)
	ann.until(`"page":"/lessons/the-herd"`)
	bob.until(`"page":"/lessons/the-herd"`)
	teacher.does(`{"do":"pose","question":{"id":"q/1","choices":2,"right":1}}`)
	ann.until(`"number":1,"id":"q/1"`)
	ann.does(`{"do":"answer","number":1,"choice":1}`)
	bob.does(`{"do":"answer","number":1,"choice":0}`)
	teacher.until(`"counts":[1,1]`)
}
