package past

import (
	"context"
	"errors"
	"hash/crc32"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/replay"
	"github.com/zkviz/zkviz/engine/txnlog"
	"github.com/zkviz/zkviz/engine/wire"
)

// Point is a transaction, by its number and its time.
type Point struct {
	Zxid   int64
	TimeMS int64 // since 1970
}

// Epoch is a leader's time: from its first transaction to its last.
type Epoch struct {
	Number      int64
	First, Last Point
	Txns        int64
}

// Gap is that a server has nothing between two transactions, of which the second is at a Point.
type Gap struct {
	After int64 // zxid
	Next  Point
}

// Torn is a part of a log that can't be read.
type Torn struct {
	File   string // its name
	Offset int64  // in bytes
	Until  int64  // where it goes on; 0 if nothing comes after it
	Why    string
	After  Point // the last transaction before it
}

// Lane is what a server has.
type Lane struct {
	Name        string
	Txns        int64
	First, Last Point // nothing if it has no transaction
	Epochs      []Epoch
	Gaps        []Gap
	Torn        []Torn
	Odd         []Trouble // logs that differ under a zxid, or whose zxids go back
	More        int       // epochs, gaps, and torn or odd logs that there is no room for
	Lacks       int64     // transactions that others have in its gaps
	Behind      int64     // transactions that others have after its last
}

// Difference is a number under which servers have different transactions.
type Difference struct {
	Point
	Has []Had // what each server has
}

// Had is a transaction as a server has it: what it leads to, as far as it says so itself. There are no facts if the
// server doesn't have it. What is written is left out: it may be for few to read.
type Had struct {
	TimeMS int64
	Facts  []replay.Fact // the first ones
	Sum    uint32        // tells transactions apart that are otherwise alike
}

// maxFacts is how many facts are told of a transaction.
const maxFacts = 4

func hadOf(t *wire.Txn) Had {
	facts := replay.New("/").Apply(t)
	if len(facts) > 1 && facts[0].Kind == event.TxnApplied {
		facts = facts[1:] // which say it better
	}
	h := Had{TimeMS: t.TimeMS, Facts: facts[:min(len(facts), maxFacts)], Sum: crc32.ChecksumIEEE(t.Append(nil))}
	for i := range h.Facts {
		h.Facts[i].Text = ""
	}
	return h
}

// Alone are transactions in a row that a server has and no other, though others go on.
type Alone struct {
	Server      int
	First, Last Point
	Txns        int64
	// Passed are those that have gone on as though they had never been, so that they were probably never committed.
	Passed Set
}

// Compared is what several servers have, side by side.
type Compared struct {
	Lanes       []Lane
	Txns        int64 // of all, each once
	First, Last Point
	Gaps        []Gap // what none has
	Differ      []Difference
	Alone       []Alone
	Clocks      []ClockError // where the time goes back
	MoreGaps    int          // that there is no room for, likewise below
	MoreDiffer  int
	MoreAlone   int
	MoreClocks  int
}

// maxTold is how much of a kind is told of each server.
const maxTold = 200

// Comparer finds that out, a step after the other.
type Comparer struct {
	Compared
	servers []Server
}

// NewComparer compares servers.
func NewComparer(servers []Server) *Comparer {
	c := &Comparer{servers: servers}
	for _, s := range servers {
		c.Lanes = append(c.Lanes, Lane{Name: s.Name})
	}
	return c
}

// Compare reads all files, and compares what servers have.
func (f Files) Compare(ctx context.Context) (Compared, error) {
	servers := f.Servers()
	if len(servers) > MaxServers {
		return Compared{}, ErrServers
	}
	c := NewComparer(servers)
	m := NewMerge(servers, nil, c.Torn)
	defer m.Close()
	for n := 1; ; n++ {
		f.passed(n, m.Read)
		step, err := m.Next(ctx)
		if err == io.EOF {
			return c.Compared, nil
		}
		if err != nil {
			return c.Compared, err
		}
		c.Take(m, &step)
	}
}

// Take takes the step that the Merge has just made.
func (c *Comparer) Take(m *Merge, step *Step) {
	p := Point{step.Txn.Zxid, step.Txn.TimeMS}
	if c.Txns++; c.Txns == 1 {
		c.First = p
	} else if !follows(c.Last.Zxid, p.Zxid) {
		keep(&c.Gaps, &c.MoreGaps, Gap{c.Last.Zxid, p})
	}
	if c.Txns > 1 && c.Last.TimeMS-p.TimeMS >= jumpMS {
		keep(&c.Clocks, &c.MoreClocks, ClockError{p.Zxid, c.Last.TimeMS, p.TimeMS})
	}
	c.Last = p
	for i := range c.Lanes {
		l := &c.Lanes[i]
		switch {
		case step.Has.Has(i):
			if l.Txns == 0 {
				c.begin(i, p)
			}
			l.take(p)
		case step.Ended.Has(i) && l.Txns > 0:
			l.Behind++
		case step.Lacks.Has(i):
			l.Lacks++
		}
	}
	if step.Others != 0 {
		d := Difference{Point: p, Has: make([]Had, len(c.Lanes))}
		for i := range c.Lanes {
			if step.Has.Has(i) && len(c.Differ) < maxTold {
				d.Has[i] = hadOf(m.Of(i))
			}
		}
		keep(&c.Differ, &c.MoreDiffer, d)
	}
	if step.Has.Len() == 1 && step.Passed|step.Lacks != 0 {
		c.alone(p, step)
	}
}

// begin is a server's first transaction. What is missing between the snapshot before it and that is a gap.
func (c *Comparer) begin(server int, first Point) {
	l := &c.Lanes[server]
	for _, s := range slices.Backward(c.servers[server].Snapshots) {
		if s.Zxid < first.Zxid {
			if !follows(s.Zxid, first.Zxid) {
				keep(&l.Gaps, &l.More, Gap{s.Zxid, first})
			}
			return
		}
	}
}

// alone is a transaction that only one has.
func (c *Comparer) alone(p Point, step *Step) {
	server := 0
	for !step.Has.Has(server) {
		server++
	}
	if n := len(c.Alone); n > 0 && c.Alone[n-1].Server == server && c.Alone[n-1].Passed == step.Passed &&
		follows(c.Alone[n-1].Last.Zxid, p.Zxid) {
		c.Alone[n-1].Last = p
		c.Alone[n-1].Txns++
		return
	}
	keep(&c.Alone, &c.MoreAlone, Alone{Server: server, First: p, Last: p, Txns: 1, Passed: step.Passed})
}

// Torn takes what a Merge has told of a server's log.
func (c *Compared) Torn(t Trouble) {
	var torn *txnlog.TornError
	if t.Server < 0 {
		return
	}
	l := &c.Lanes[t.Server]
	if Odd(t.Err) {
		keep(&l.Odd, &l.More, t)
	}
	if !errors.As(t.Err, &torn) {
		return
	}
	keep(&l.Torn, &l.More, Torn{filepath.Base(t.Path), torn.Offset, torn.Until, torn.Why, l.Last})
}

func (l *Lane) take(p Point) {
	switch l.Txns++; {
	case l.Txns == 1:
		l.First = p
	case !follows(l.Last.Zxid, p.Zxid):
		keep(&l.Gaps, &l.More, Gap{l.Last.Zxid, p})
	}
	l.Last = p
	number := p.Zxid >> 32
	if n := len(l.Epochs); n > 0 && l.Epochs[n-1].Number == number {
		l.Epochs[n-1].Last = p
		l.Epochs[n-1].Txns++
		return
	}
	keep(&l.Epochs, &l.More, Epoch{number, p, p, 1})
}

// keep puts something into a list while there is room for it.
func keep[T any](list *[]T, more *int, one T) {
	if len(*list) >= maxTold {
		*more++
		return
	}
	*list = append(*list, one)
}

// Names are those of the servers in a set, with commas.
func (c *Compared) Names(of Set) string {
	var names []string
	for i := range c.Lanes {
		if of.Has(i) {
			names = append(names, c.Lanes[i].Name)
		}
	}
	return strings.Join(names, ", ")
}

// Clone is a copy that does not change any more.
func (c *Compared) Clone() Compared {
	d := *c
	d.Lanes = append([]Lane(nil), c.Lanes...)
	for i := range d.Lanes {
		l := &d.Lanes[i]
		l.Epochs = append([]Epoch(nil), l.Epochs...)
		l.Torn, l.Odd = slices.Clip(l.Torn), slices.Clip(l.Odd)
	}
	d.Alone = append([]Alone(nil), c.Alone...)
	return d
}
