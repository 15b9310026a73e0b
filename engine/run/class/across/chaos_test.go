package across_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/run/class"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// chaos is a class at three servers, any of which may stop, be cut off, lose its lease without a word, or die: then it
// is cut off for good, and its pages with it.
type chaos struct {
	t     *testing.T
	ctx   context.Context
	r     *rand.Rand
	nats  *natstest.Server
	admin *admin
	name  string
	hello string

	mu    sync.Mutex
	all   []*host
	acked []string     // what pages were told to be done
	in    map[int]bool // who has joined, as their page was told
}

// host is a server with its link. Its pages lose it when ctx ends.
type host struct {
	*server
	link *natstest.Relay
	ctx  context.Context
	end  context.CancelFunc
}

func (c *chaos) host() *host {
	h := &host{link: c.nats.Relay(c.t)}
	h.server = serve(c.t, shared.Config{URL: h.link.URL(), Lease: unhurried})
	h.ctx, h.end = context.WithCancel(c.ctx)
	return h
}

// pick returns a server at random.
func (c *chaos) pick(n int) *host {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all[n%len(c.all)]
}

// replace has a new server in a server's place.
func (c *chaos) replace(i int) (old *host) {
	next := c.host()
	c.mu.Lock()
	defer c.mu.Unlock()
	old, c.all[i] = c.all[i], next
	old.end()
	return old
}

// fault does something to a server.
func (c *chaos) fault() (what string) {
	i := c.r.IntN(len(c.all))
	h := c.pick(i)
	switch c.r.IntN(4) {
	case 0:
		c.replace(i).stop()
		return fmt.Sprint("server ", i, " stops, and another starts")
	case 1:
		c.cut(h)
		time.Sleep(time.Duration(c.r.IntN(100)) * time.Millisecond)
		h.link.Heal()
		return fmt.Sprint("server ", i, " is cut off, and the lease expires")
	case 2:
		c.admin.expire(c.name)
		return "the lease expires"
	}
	c.cut(c.replace(i))
	return fmt.Sprint("server ", i, " dies, and another starts")
}

// cut cuts a server off, and has the lease expire. NATS has stored what it sent last, and hasn't said so.
func (c *chaos) cut(h *host) {
	h.link.Mute()
	time.Sleep(time.Duration(c.r.IntN(30)) * time.Millisecond)
	h.link.Cut()
	c.admin.expire(c.name)
}

// attend is a learner, who takes one name after the other, or a teacher, who asks one question after the other, with a
// page at one server or another, until the faults are over.
func (c *chaos) attend(who int, over <-chan struct{}, r *rand.Rand) {
	times := class.MaxOfLearner / 2
	first := fmt.Sprintf(`{"do":"join","key":%q,"name":"","follows":true}`, key(fmt.Sprint("learner ", who)))
	does := `{"do":"rename","name":%q}`
	if who%2 > 0 {
		first, does = c.hello, `{"do":"pose","question":{"id":%q,"choices":2,"right":0}}`
		times = class.MaxQuestions / 2 // there are two teachers
	}
	for n := 1; n <= times && c.ctx.Err() == nil; {
		select {
		case <-over:
			return
		default:
		}
		h := c.pick(r.IntN(100))
		p, err := c.enter(h)
		if err != nil {
			continue
		}
		if err = c.say(h, p, first); err == nil && who%2 == 0 {
			c.mu.Lock()
			c.in[who] = true
			c.mu.Unlock()
		}
		for err == nil && n <= times && r.IntN(8) > 0 {
			what := fmt.Sprintf("%d is %d", who, n)
			n++ // one that nobody has confirmed isn't tried by another page
			time.Sleep(time.Duration(r.IntN(5)) * time.Millisecond)
			if err = c.say(h, p, fmt.Sprintf(does, what)); err == nil {
				c.mu.Lock()
				c.acked = append(c.acked, what)
				c.mu.Unlock()
			}
		}
		p.Leave()
	}
}

func (c *chaos) enter(h *host) (*class.Page, error) {
	found, err := h.Find(h.ctx, c.name)
	if err != nil {
		return nil, err
	}
	return found.Enter("x")
}

// say has a page want something, until its server dies.
func (c *chaos) say(h *host, p *class.Page, text string) error {
	r, err := class.ParseRequest([]byte(text))
	if err != nil {
		c.t.Error(err)
		return err
	}
	err = p.Handle(h.ctx, r)
	if err != nil && !errors.Is(err, class.ErrAway) {
		c.t.Errorf("%s: %v", text, err)
	}
	return err
}

// check holds the log to what pages were told, and the servers that live to the log.
func (c *chaos) check(learners int) {
	entries := c.admin.entries(c.name)
	times, last := map[string]int{}, map[int]int{}
	for _, e := range entries {
		what := e.Name
		if e.Kind == class.Posed {
			what = e.Question.ID
		}
		var who, n int
		if _, err := fmt.Sscanf(what, "%d is %d", &who, &n); err != nil {
			continue // it is another kind of entry
		}
		if times[what]++; times[what] == 1 && n <= last[who] {
			c.t.Errorf("%q comes after number %d", what, last[who])
		}
		last[who] = n
	}
	for name, n := range times {
		if n > 1 {
			c.t.Errorf("%q is in the log %d times", name, n)
		}
	}
	for _, name := range c.acked {
		if times[name] != 1 {
			c.t.Errorf("%q was confirmed, and is in the log %d times", name, times[name])
		}
	}
	var want string
	for i, h := range c.all {
		found, err := h.Find(c.ctx, c.name)
		for errors.Is(err, class.ErrAway) && c.ctx.Err() == nil { // its link isn't back yet
			found, err = h.Find(c.ctx, c.name)
		}
		if err != nil {
			c.t.Fatal(err)
		}
		for entriesOf(found) < len(entries) {
			time.Sleep(time.Millisecond)
			if c.ctx.Err() != nil {
				c.t.Fatalf("server %d has %d of %d entries", i, entriesOf(found), len(entries))
			}
		}
		got := stateOf(found)
		if want != "" && got != want {
			c.t.Errorf("server %d has\n%s\nand others have\n%s", i, got, want)
		}
		want = got
	}
	if n := strings.Count(want, `"Joined"`); n < len(c.in) || n > learners {
		c.t.Errorf("there are %d learners, %d of %d have joined", n, len(c.in), learners)
	}
	c.t.Logf("%d entries, %d orders confirmed of %d in the log", len(entries), len(c.acked), len(times))
}

// TestChaos has people at servers to which something happens again and again. There is one order, the same at all
// servers; what a page was told to be done is in it once, and nothing is there twice.
func TestChaos(t *testing.T) {
	const people = 4
	seeds, faults := 3, 8
	if !testing.Short() {
		seeds, faults = 12, 20
	}
	n := natstest.Start(t)
	adm := newAdmin(t, n)
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 37))
			c := &chaos{t: t, ctx: patient(t), r: r, nats: n, admin: adm, in: map[int]bool{}}
			for range 3 {
				c.all = append(c.all, c.host())
			}
			var err error
			var secret string
			if c.name, secret, err = c.all[0].Begin(c.ctx, "x", class.Place{Page: "/lab"}); err != nil {
				t.Fatal(err)
			}
			c.hello = fmt.Sprintf(`{"do":"hello","secret":%q}`, secret)
			over := make(chan struct{})
			var all sync.WaitGroup
			for who := range people {
				mine := rand.New(rand.NewPCG(uint64(seed), uint64(who)))
				all.Go(func() { c.attend(who, over, mine) })
			}
			for range faults {
				time.Sleep(time.Duration(r.IntN(60)) * time.Millisecond)
				t.Log(c.fault())
			}
			close(over)
			all.Wait()
			c.check(people / 2)
		})
	}
}
