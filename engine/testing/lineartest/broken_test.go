package lineartest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// broken is a server that follows the model except for one bug.
type broken struct {
	state  [families]family
	before [families]family
	zxid   int64
	bug    func(before, now family, o op) (family, outcome)
}

func (b *broken) do(o op) outcome {
	now := b.state[o.family]
	next, answer := b.bug(b.before[o.family], now, o)
	if o.writes() {
		b.zxid++
	}
	if o.kind != ending && answer.zxid == 0 {
		answer.zxid = b.zxid
	}
	if !next.equal(now) {
		b.before[o.family], b.state[o.family] = now, next
	}
	return answer
}

// TestBrokenServersAreFound runs the same ops on servers that each break one promise. The checker must reject their
// histories, and accept the one of a server without a bug.
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
		"a zxid from before": {porcupine.Illegal, func(_, now family, o op) (family, outcome) {
			next, answer := now.do(o)
			if o.kind == remove {
				answer.zxid = 1
			}
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
			pretend(h, b, 4, 300)
			if got := h.judge(t); got != test.want {
				t.Errorf("the checker says %s, not %s", got, test.want)
			}
		})
	}
}

// pretender is a client without a connection. It ignores some answers.
type pretender struct {
	client
	done  int
	asked bool // it waits for the answer to o, requested at call
	o     op
	call  int64
}

// pretend lets clients do n things each, as work does, several at a time. A seed decides whose turn it is, not the
// machine, because some bugs show in some orders only.
func pretend(h *history, b *broken, clients, n int) {
	rng := rand.New(rand.NewPCG(1, 1))
	var busy []*pretender
	for i := range clients {
		busy = append(busy, &pretender{client: client{id: i, h: h, rng: rand.New(rand.NewPCG(1, uint64(i)))}})
	}
	for len(busy) > 0 {
		turn := rng.IntN(len(busy))
		if busy[turn].step(b); busy[turn].done == n {
			busy = slices.Delete(busy, turn, turn+1)
		}
	}
}

// step sends a request, or carries out the one that was sent.
func (p *pretender) step(b *broken) {
	if p.asked = !p.asked; p.asked {
		p.hello.Session = int64(10 + p.id + 10*(p.done/100))
		p.o, p.call = p.draw(), p.h.now()
		return
	}
	answer := b.do(p.o)
	p.remember(p.o, answer)
	if p.rng.IntN(100) == 0 {
		answer = outcome{lost: true}
	}
	p.h.add(p.id, p.o, p.call, answer, p.h.now())
	if p.done++; p.done%100 == 0 {
		for f := range families {
			o := op{kind: ending, family: f, session: p.hello.Session}
			call := p.h.now()
			p.h.add(p.id, o, call, b.do(o), p.h.now())
		}
	}
}
