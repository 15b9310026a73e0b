// Package index finds moments in the files that servers of a ZooKeeper have left: how much happened when, what happened
// in a while, and what was there before it. It reads the files once, and keeps of them where to read again.
//
// It never writes, and is no store: what is asked for is read from the files each time. In memory it has, whatever the
// size of the files, at most 4096 counts of a while each, 4096 places in the files, states of 200,000 znodes together
// and one of as many, with which it reads on when the files grow. Pages of viz-server log ask it; what a picture of a
// while is, engine/feed says.
package index

import (
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/past"
	"github.com/zkviz/zkviz/engine/replay"
)

// Limits of what is kept.
const (
	MaxNodes   = 200_000 // znodes of a state, and of all states that are kept on the way
	maxChunks  = 1 << 12
	chunkTxns  = 1 << 14 // of a chunk, until there are too many
	farther    = 100_000 // a snapshot is read rather than so many transactions more
	maxTrouble = 100
)

// chunk is a place in the files from which one can read.
type chunk struct {
	at           []past.Position // of each server
	zxid         int64           // of the first transaction
	minMS, maxMS int64           // its times: clocks of leaders differ
	txns         int
}

// kept is what was there before a chunk.
type kept struct {
	state *replay.State
	chunk int
}

// Index is what is known of the files so far. Its methods may be called at any time from anywhere.
type Index struct {
	turn chan struct{} // held to read the files
	in   *reader       // for the holder of the turn
	seen seen

	mu sync.Mutex
	known
	opened     bool // Read has ended
	generation int64
	gone       []string // logs that were read and are there no more
}

// known is what is known of the files.
type known struct {
	files    past.Files
	servers  []past.Server
	total    int64 // bytes of all logs
	read     int64 // of total
	done     bool
	behind   bool // there is more that isn't read yet, nor being read
	growing  bool // somebody writes to the files
	err      error
	chunks   []chunk
	cut      int // transactions of a chunk
	times    timeline
	states   []kept
	every    int // chunks between two states
	leftOut  bool
	compared past.Compared
	trouble  []past.Trouble
	tails    []past.Trouble // of the ends of logs, which may be written on
	breaks   []int64        // the times of the first transactions after others that are missing
	end      int64          // the zxid after the last that is known
}

// New is an index of files of which nothing has been read yet.
func New(files past.Files) (*Index, error) {
	x := &Index{turn: make(chan struct{}, 1)}
	seen, err := look(files, time.Time{})
	if err != nil {
		return nil, err
	}
	return x, x.begin(files, seen)
}

// begin forgets what is known, and begins with these files.
func (x *Index) begin(files past.Files, seen seen) error {
	servers := files.Servers()
	if len(servers) > past.MaxServers {
		return past.ErrServers
	}
	x.mu.Lock()
	x.generation++
	x.known = known{files: files, servers: servers, total: seen.total, growing: x.growing, cut: chunkTxns, every: 1,
		times: newTimeline()}
	x.mu.Unlock()
	x.seen = seen
	x.in = x.newReader()
	return nil
}

// fresh is a state for pages, which keeps to itself what not everybody may read.
func fresh(root string, also ...string) *replay.State {
	s := replay.New(root, also...)
	s.Guarded, s.Most = true, MaxNodes
	return s
}

// broken notes that transactions are missing before one of that time.
func (x *Index) broken(ms int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.breaks) < maxTrouble {
		x.breaks = append(x.breaks, ms)
	}
}

// Unbroken returns what of a while around a moment has no transactions missing in it.
func (x *Index) Unbroken(at, since, until int64) (int64, int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, ms := range x.breaks {
		switch {
		case ms <= at:
			since = max(since, ms)
		default:
			until = min(until, ms)
		}
	}
	return since, until
}

// pass is a chunk in the making.
type pass struct {
	chunk
	end    int64
	counts []timed // of what isn't put yet
	put    bool    // others know of its chunk already
}

type timed struct {
	ms     int64
	counts Counts
}

// add counts what came of a transaction. Those of a second count together.
func (p *pass) add(ms int64, c Counts) {
	p.txns++
	ms = min(max(ms, 0), latest)
	p.minMS, p.maxMS = min(p.minMS, ms), max(p.maxMS, ms)
	if n := len(p.counts); n > 0 && p.counts[n-1].ms/1000 == ms/1000 {
		p.counts[n-1].counts.Add(&c)
		return
	}
	p.counts = append(p.counts, timed{ms, c})
}

// put lets others know of a chunk.
func (x *Index) put(p *pass, m *past.Merge, all *past.Comparer) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.compared, x.read = all.Clone(), m.Read()
	for _, t := range x.tails {
		x.compared.Torn(t)
	}
	if len(p.counts) == 0 {
		return
	}
	for i := range p.counts {
		x.times.add(p.counts[i].ms, &p.counts[i].counts)
	}
	x.end, p.counts = p.end, nil
	if p.put {
		x.chunks[len(x.chunks)-1] = p.chunk
		return
	}
	x.chunks, p.put = append(x.chunks, p.chunk), true
	if len(x.chunks) > maxChunks {
		x.halve()
		*p = pass{}
	}
}

// halve makes one chunk of every two, each of twice as many transactions. States stay where they were if that is a
// place still.
func (x *Index) halve() {
	half := x.chunks[:0]
	for i := 0; i < len(x.chunks); i += 2 {
		c := x.chunks[i]
		if i+1 < len(x.chunks) {
			d := x.chunks[i+1]
			c.minMS, c.maxMS, c.txns = min(c.minMS, d.minMS), max(c.maxMS, d.maxMS), c.txns+d.txns
		}
		half = append(half, c)
	}
	x.chunks, x.cut = half, x.cut*2
	states := x.states[:0]
	for _, k := range x.states {
		if k.chunk%2 == 0 {
			states = append(states, kept{k.state, k.chunk / 2})
		}
	}
	x.states = states
}

// keep keeps what is there before the chunk that comes next, if there is room for it and a copy is no more work than
// what is read between two.
func (x *Index) keep(s *replay.State) {
	x.mu.Lock()
	next, last, every, leftOut := len(x.chunks), -1<<30, x.every, x.leftOut
	if n := len(x.states); n > 0 {
		last = x.states[n-1].chunk
	}
	cut := x.cut
	x.mu.Unlock()
	if leftOut || s.LeftOut() {
		x.mu.Lock()
		x.leftOut = true
		x.mu.Unlock()
		return
	}
	if next-last < every || next > 0 && (next-last)*cut < s.Nodes()+s.Sessions() {
		return
	}
	c := s.Clone("/")
	x.mu.Lock()
	defer x.mu.Unlock()
	x.states = append(x.states, kept{c, next})
	for x.weight() > MaxNodes && len(x.states) > 1 {
		x.every *= 2
		states := x.states[:0]
		for i, k := range x.states {
			if i%2 == 0 {
				states = append(states, k)
			}
		}
		clear(x.states[len(states):])
		x.states = states
	}
}

func (x *Index) weight() (n int) {
	for _, k := range x.states {
		n += k.state.Nodes() + k.state.Sessions()
	}
	return n
}

// countsOf counts facts by their kinds.
func countsOf(facts []replay.Fact) (c Counts) {
	c.Txns = 1
	for i := range facts {
		c.count(&facts[i].Event)
	}
	return c
}

func (c *Counts) count(e *event.Event) {
	switch e.Kind {
	case event.ZnodeCreated:
		c.Created++
	case event.ZnodeChanged:
		c.Set++
	case event.ZnodeDeleted:
		c.Deleted++
	case event.SessionCreated:
		c.Opened++
	case event.SessionClosed:
		c.Closed++
	case event.SessionExpired:
		c.Expired++
	case event.TxnApplied:
		if e.Code != 0 {
			c.Failed++
		}
	}
}

// Known tells apart how much is known: what has been found is good as long as it stays the same.
func (x *Index) Known() [2]int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return [2]int64{x.generation, x.end}
}
