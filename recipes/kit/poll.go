package kit

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
)

// Poll is how a client that was refused tries again: after a time between the two, another each time, so that those
// who were refused together do not come back together.
type Poll struct{ Least, Most time.Duration }

// Leisurely is how a client polls that thinks of the server.
func Leisurely() Poll { return Poll{50 * time.Millisecond, 250 * time.Millisecond} }

// String is the poll as a person reads it, empty for the zero one.
func (p Poll) String() string {
	switch {
	case p == Poll{}:
		return ""
	case p.Least == p.Most:
		return p.Least.String()
	}
	return p.Least.String() + " to " + p.Most.String()
}

// Steady is how a client polls that thinks of itself.
func Steady() Poll { return Poll{50 * time.Millisecond, 50 * time.Millisecond} }

// Polling is how the recipe's clients poll: leisurely, if nobody says.
func (p Params) Polling() Poll { return cmp.Or(p.Poll, Leisurely()) }

// Wait lets the time before the next try pass. It is drawn from the process's name and the number of the try, and is so
// the same in every run.
func (p Poll) Wait(c program.Process, try int) error {
	name := fnv.New64a()
	name.Write([]byte(c.Name()))
	chance := rand.New(rand.NewPCG(name.Sum64(), uint64(try)))
	return c.Poll(p.Least + time.Duration(chance.Int64N(int64(p.Most-p.Least)+1)))
}
