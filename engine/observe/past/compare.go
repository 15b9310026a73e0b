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
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Point identifies a transaction by number and time.
type Point struct {
	Zxid   int64
	TimeMS int64 // since 1970
}

// Epoch is a leader's term: from its first transaction to its last.
type Epoch struct {
	Number      int64
	First, Last Point
	Txns        int64
}

// Gap says that a server lacks everything between two transactions. Next is the second.
type Gap struct {
	After int64 // zxid
	Next  Point
}

// Torn is an unreadable part of a log.
type Torn struct {
	File   string // its base name
	Offset int64  // in bytes
	Until  int64  // where the log continues; 0 if nothing follows
	Why    string
	After  Point // the last transaction before it
}

// Source describes one server's transactions.
type Source struct {
	Name        string
	Txns        int64
	First, Last Point // zero without transactions
	Epochs      []Epoch
	Gaps        []Gap
	Torn        []Torn
	Odd         []Trouble // logs that differ under a zxid, or whose zxids go back
	More        int       // epochs, gaps, and torn or odd logs beyond the limit
	Lacks       int64     // transactions of other servers in its gaps
	Behind      int64     // transactions of other servers after its last
}

// Difference is a zxid under which servers have different transactions.
type Difference struct {
	Point
	Versions []Version // by server
}

// Version is a transaction as a server has it: its facts, as far as it shows them itself. Facts is empty if the server
// doesn't have it. Data is left out, because it may be secret.
type Version struct {
	TimeMS int64
	Facts  []replay.Fact // the first ones
	Sum    uint32        // distinguishes transactions that otherwise look alike
}

// maxFacts is how many facts of a transaction are kept.
const maxFacts = 4

func versionOf(t *wire.Txn) Version {
	facts := replay.New("/").Apply(t)
	if len(facts) > 1 && facts[0].Kind == event.TxnApplied {
		facts = facts[1:] // the others say it better
	}
	h := Version{TimeMS: t.TimeMS, Facts: facts[:min(len(facts), maxFacts)], Sum: crc32.ChecksumIEEE(t.Append(nil))}
	for i := range h.Facts {
		h.Facts[i].Text = ""
	}
	return h
}

// OnlyIn is a run of transactions that only one server has, though others continue.
type OnlyIn struct {
	Server      int
	First, Last Point
	Txns        int64
	// Passed names the servers that continue as if the run had never existed. It was probably never committed.
	Passed Set
}

// Compared compares the transactions of several servers.
type Compared struct {
	Sources     []Source
	Txns        int64 // of all servers, each counted once
	First, Last Point
	Gaps        []Gap // missing on all servers
	Differ      []Difference
	OnlyIn      []OnlyIn
	Clocks      []ClockError // where time goes back
	MoreGaps    int          // beyond the limit, as in the next fields
	MoreDiffer  int
	MoreOnlyIn  int
	MoreClocks  int
}

// maxFindings is how many findings of a kind are kept per server.
const maxFindings = 200

// Comparer builds a Compared, step by step.
type Comparer struct {
	Compared
	servers []Server
}

// NewComparer returns a Comparer of servers.
func NewComparer(servers []Server) *Comparer {
	c := &Comparer{servers: servers}
	for _, s := range servers {
		c.Sources = append(c.Sources, Source{Name: s.Name})
	}
	return c
}

// Compare reads all files and compares the servers.
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

// Take adds the step that the Merge has just made.
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
	for i := range c.Sources {
		l := &c.Sources[i]
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
		d := Difference{Point: p, Versions: make([]Version, len(c.Sources))}
		for i := range c.Sources {
			if step.Has.Has(i) && len(c.Differ) < maxFindings {
				d.Versions[i] = versionOf(m.Of(i))
			}
		}
		keep(&c.Differ, &c.MoreDiffer, d)
	}
	if step.Has.Len() == 1 && step.Passed|step.Lacks != 0 {
		c.onlyIn(p, step)
	}
}

// begin handles a server's first transaction. A gap may separate it from the snapshot before it.
func (c *Comparer) begin(server int, first Point) {
	l := &c.Sources[server]
	for _, s := range slices.Backward(c.servers[server].Snapshots) {
		if s.Zxid < first.Zxid {
			if !follows(s.Zxid, first.Zxid) {
				keep(&l.Gaps, &l.More, Gap{s.Zxid, first})
			}
			return
		}
	}
}

// onlyIn handles a transaction that only one server has.
func (c *Comparer) onlyIn(p Point, step *Step) {
	server := 0
	for !step.Has.Has(server) {
		server++
	}
	if n := len(c.OnlyIn); n > 0 && c.OnlyIn[n-1].Server == server && c.OnlyIn[n-1].Passed == step.Passed &&
		follows(c.OnlyIn[n-1].Last.Zxid, p.Zxid) {
		c.OnlyIn[n-1].Last = p
		c.OnlyIn[n-1].Txns++
		return
	}
	keep(&c.OnlyIn, &c.MoreOnlyIn, OnlyIn{Server: server, First: p, Last: p, Txns: 1, Passed: step.Passed})
}

// Torn adds trouble that a Merge has reported about a server's log.
func (c *Compared) Torn(t Trouble) {
	var torn *txnlog.TornError
	if t.Server < 0 {
		return
	}
	l := &c.Sources[t.Server]
	if Odd(t.Err) {
		keep(&l.Odd, &l.More, t)
	}
	if !errors.As(t.Err, &torn) {
		return
	}
	keep(&l.Torn, &l.More, Torn{filepath.Base(t.Path), torn.Offset, torn.Until, torn.Why, l.Last})
}

func (s *Source) take(p Point) {
	switch s.Txns++; {
	case s.Txns == 1:
		s.First = p
	case !follows(s.Last.Zxid, p.Zxid):
		keep(&s.Gaps, &s.More, Gap{s.Last.Zxid, p})
	}
	s.Last = p
	number := p.Zxid >> 32
	if n := len(s.Epochs); n > 0 && s.Epochs[n-1].Number == number {
		s.Epochs[n-1].Last = p
		s.Epochs[n-1].Txns++
		return
	}
	keep(&s.Epochs, &s.More, Epoch{number, p, p, 1})
}

// keep appends to a list while there is room.
func keep[T any](list *[]T, more *int, one T) {
	if len(*list) >= maxFindings {
		*more++
		return
	}
	*list = append(*list, one)
}

// Names lists the servers in a set, separated by commas.
func (c *Compared) Names(of Set) string {
	var names []string
	for i := range c.Sources {
		if of.Has(i) {
			names = append(names, c.Sources[i].Name)
		}
	}
	return strings.Join(names, ", ")
}

// Clone returns an independent copy.
func (c *Compared) Clone() Compared {
	d := *c
	d.Sources = append([]Source(nil), c.Sources...)
	for i := range d.Sources {
		l := &d.Sources[i]
		l.Epochs = append([]Epoch(nil), l.Epochs...)
		l.Torn, l.Odd = slices.Clip(l.Torn), slices.Clip(l.Odd)
	}
	d.OnlyIn = append([]OnlyIn(nil), c.OnlyIn...)
	return d
}
