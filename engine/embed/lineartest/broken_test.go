package lineartest

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/zkviz/zkviz/engine/zoo"
)

// broken is a server that does as the model says, but for one thing.
type broken struct {
	mu     sync.Mutex
	state  [families]family
	before [families]family
	bug    func(before, now family, o op) (family, outcome)
}

func (b *broken) do(o op) outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.state[o.family]
	next, answer := b.bug(b.before[o.family], now, o)
	if !next.equal(now) {
		b.before[o.family], b.state[o.family] = now, next
	}
	return answer
}

// TestBrokenServersAreFound: the same ops, done by servers each of which breaks one promise, are rejected. With
// no bug they are accepted.
func TestBrokenServersAreFound(t *testing.T) {
	for name, test := range map[string]struct {
		want porcupine.CheckResult
		bug  func(before, now family, o op) (family, outcome)
	}{
		"none": {porcupine.Ok, func(_, now family, o op) (family, outcome) { return now.do(o) }},
		"a read of what was": {porcupine.Illegal, func(before, now family, o op) (family, outcome) {
			if o.kind == get {
				_, answer := before.do(o)
				return now, answer
			}
			return now.do(o)
		}},
		"a write that is forgotten": {porcupine.Illegal, func(_, now family, o op) (family, outcome) {
			next, answer := now.do(o)
			if o.kind == set && o.name == "b" {
				return now, answer
			}
			return next, answer
		}},
		"a version that is not looked at": {porcupine.Illegal, func(_, now family, o op) (family, outcome) {
			o.version = zoo.AnyVersion
			return now.do(o)
		}},
		"a number given twice": {porcupine.Illegal, func(_, now family, o op) (family, outcome) {
			next, answer := now.do(o)
			if o.kind == sequential && now.made%7 == 0 {
				next.made--
			}
			return next, answer
		}},
		"a deletion that does not count": {porcupine.Illegal, func(_, now family, o op) (family, outcome) {
			next, answer := now.do(o)
			next.gone = 0
			return next, answer
		}},
		"half of a multi": {porcupine.Illegal, func(_, now family, o op) (family, outcome) {
			next, answer := now.do(o)
			if o.kind == swap && answer.code == zoo.ErrBadVersion {
				if i, there := now.find(o.other); there {
					next = now.changed(i, o.data)
				}
			}
			return next, answer
		}},
		"a znode that outlives its session": {porcupine.Illegal, func(_, now family, o op) (family, outcome) {
			if o.kind == ending {
				return now, outcome{}
			}
			return now.do(o)
		}},
		"another's session for one's own": {porcupine.Illegal, func(_, now family, o op) (family, outcome) {
			if o.ephemeral {
				o.session = 1
			}
			return now.do(o)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHistory()
			b := &broken{bug: test.bug}
			var working sync.WaitGroup
			for i := range 4 {
				c := &client{id: i, h: h, rng: rand.New(rand.NewPCG(1, uint64(i)))}
				working.Go(func() { c.pretend(b, 300) })
			}
			working.Wait()
			if got := h.judge(t); got != test.want {
				t.Errorf("the checker says %s, not %s", got, test.want)
			}
		})
	}
}

// pretend does n things as work does, without a connection. Some answers it does not listen to.
func (c *client) pretend(b *broken, n int) {
	for i := range n {
		c.hello.Session = int64(10 + c.id + 10*(i/100))
		o := c.draw()
		call := c.h.now()
		answer := b.do(o)
		c.remember(o, answer)
		if c.rng.IntN(100) == 0 {
			answer = outcome{lost: true}
		}
		c.h.add(c.id, o, call, answer, c.h.now())
		if i%100 == 99 {
			for f := range families {
				o := op{kind: ending, family: f, session: c.hello.Session}
				call := c.h.now()
				c.h.add(c.id, o, call, b.do(o), c.h.now())
			}
		}
	}
}
