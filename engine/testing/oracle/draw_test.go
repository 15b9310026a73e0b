package oracle

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Plan is a round: what the programs do, and which faults hit them.
type Plan struct {
	Seed    uint64
	Round   int
	Things  []Thing
	Actors  []Actor
	Strikes []Strike // at most one for each program
}

// Thing is a lock, a leadership, a semaphore or another resource that clients can hold.
type Thing struct {
	Kind
	Name string // its znode's name
}

// Actor is a client and what it does, one visit after the other.
type Actor struct {
	Client, Program string
	Thing           int
	Recipe          string
	Visits          []Visit
}

// Visit is one attempt of a client to get in, and what it does then.
type Visit struct {
	At       time.Duration // the earliest start, since the begin of the round
	Stays    time.Duration // how long it stays once it's inside
	Patience time.Duration // how long it waits to get in; 0 means as long as it takes
}

// Strike pauses a program for a time, or kills it.
type Strike struct {
	Program string
	At      time.Duration // since the begin of the round
	For     time.Duration // 0 kills the program
}

// Timing limits how long things take in a round.
type Timing struct {
	Asks    time.Duration // until the last client asks for the first time
	Stays   time.Duration
	Session time.Duration // the sessions' timeout
}

const (
	thingsOfRound = 5
	mostAtOne     = 4
	mostVisits    = 3
)

// Programs lists each library's programs by its letter. Java takes long to start.
var Programs = map[string][]string{"j": {"j0"}, "k": {"k0", "k1"}, "g": {"g0", "g1"}}

// NewPlan draws the plan of a round. The same arguments give the same plan.
func NewPlan(seed uint64, round int, of Timing) Plan {
	d := draw{rand.New(rand.NewPCG(seed, uint64(round))), of}
	p := Plan{Seed: seed, Round: round}
	for i, k := range d.Perm(len(Kinds))[:thingsOfRound] {
		t := Thing{Kinds[k], fmt.Sprintf("%s-%d", Kinds[k].Name, i)}
		p.Things = append(p.Things, t)
		begin, n := d.upTo(of.Asks), 1+d.IntN(mostAtOne)
		if t.Together > 0 {
			n = t.Together // one more would wait for others, or get in with those that haven't left yet
		}
		for range n {
			p.Actors = append(p.Actors, d.actor(t, i, begin, fmt.Sprintf("%d.%d", round, len(p.Actors))))
		}
	}
	for _, library := range []string{"j", "k", "g"} {
		for _, program := range Programs[library] {
			if s, struck := d.strike(program, &p); struck {
				p.Strikes = append(p.Strikes, s)
			}
		}
	}
	return p
}

// draw makes the random choices.
type draw struct {
	*rand.Rand
	of Timing
}

func (d draw) upTo(most time.Duration) time.Duration { return time.Duration(d.Int64N(int64(most))) }

func (d draw) oneOf(all []string) string { return all[d.IntN(len(all))] }

// actor draws what a client does at a thing. Clients that go together come at begin.
func (d draw) actor(t Thing, at int, begin time.Duration, number string) Actor {
	library, recipe, _ := strings.Cut(d.oneOf(t.Recipes), " ")
	a := Actor{Client: library + number, Program: d.oneOf(Programs[library]), Thing: at, Recipe: recipe}
	if t.Together > 0 {
		a.Visits = []Visit{{At: begin + d.upTo(time.Second), Stays: d.upTo(d.of.Stays)}}
		return a
	}
	next := d.upTo(d.of.Asks)
	for range 1 + d.IntN(mostVisits) {
		v := Visit{At: next, Stays: d.upTo(d.of.Stays)}
		if library != "g" && d.IntN(4) == 0 && patient[recipe] {
			v.Patience = time.Millisecond + d.upTo(d.of.Stays)
		}
		a.Visits = append(a.Visits, v)
		next += v.Stays + d.upTo(time.Second)
	}
	return a
}

// patient lists the recipes that accept a limit for waiting.
var patient = map[string]bool{"mutex": true, "semaphoremutex": true, "multi": true, "read": true, "write": true,
	"semaphore": true, "lock": true, "mixed": true}

// strike draws a program's fault. It spares programs whose clients come together: the others would never leave.
func (d draw) strike(program string, p *Plan) (s Strike, struck bool) {
	what, at, short, long := d.IntN(8), d.upTo(d.of.Asks), d.upTo(d.of.Session/2), d.upTo(d.of.Session)
	s = Strike{Program: program, At: at}
	switch what {
	case 0, 1:
		s.For = time.Millisecond + short
	case 2, 3:
		s.For = d.of.Session*4/3 + long
	case 4:
	default:
		return s, false
	}
	for _, a := range p.Actors {
		if a.Program == program && p.Things[a.Thing].Together > 0 && (s.For == 0 || s.For > d.of.Session) {
			return s, false
		}
	}
	return s, true
}

// String describes the whole plan, one actor or strike a line.
func (p Plan) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "seed %d, round %d\n", p.Seed, p.Round)
	for _, a := range p.Actors {
		fmt.Fprintf(&s, "%s of %s at %s, %s:", a.Client, a.Program, p.Things[a.Thing].Name, a.Recipe)
		for _, v := range a.Visits {
			fmt.Fprintf(&s, " after %v for %v", v.At.Round(time.Millisecond), v.Stays.Round(time.Millisecond))
			if v.Patience > 0 {
				fmt.Fprintf(&s, " if within %v", v.Patience.Round(time.Millisecond))
			}
		}
		fmt.Fprintln(&s)
	}
	for _, k := range p.Strikes {
		if k.For == 0 {
			fmt.Fprintf(&s, "%s is killed after %v\n", k.Program, k.At.Round(time.Millisecond))
			continue
		}
		fmt.Fprintf(&s, "%s stands still after %v for %v\n", k.Program, k.At.Round(time.Millisecond),
			k.For.Round(time.Millisecond))
	}
	return s.String()
}
