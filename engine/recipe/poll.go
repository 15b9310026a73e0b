package recipe

import (
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Poll says how a refused client tries again: after a random time between the two, so that clients that were refused
// together don't come back together.
type Poll struct{ Least, Most time.Duration }

// Leisurely returns a Poll that spares the server.
func Leisurely() Poll { return Poll{50 * time.Millisecond, 250 * time.Millisecond} }

// String returns the poll in a form for people, empty for the zero Poll.
func (p Poll) String() string {
	switch {
	case p == Poll{}:
		return ""
	case p.Least == p.Most:
		return sentence.Spell(p.Least)
	}
	return sentence.Spell(p.Least) + " to " + sentence.Spell(p.Most)
}

// Steady returns a Poll that always waits the least time.
func Steady() Poll { return Poll{50 * time.Millisecond, 50 * time.Millisecond} }

// Wait waits before the next try. The time depends on the process's name and the number of the try, so it is the same
// in every run.
func (p Poll) Wait(c program.Process, try int) error {
	name := fnv.New64a()
	name.Write([]byte(c.Name()))
	chance := rand.New(rand.NewPCG(name.Sum64(), uint64(try)))
	return c.Poll(p.Least + time.Duration(chance.Int64N(int64(p.Most-p.Least)+1)))
}
