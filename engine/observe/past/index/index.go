// Package index finds moments in the files of ZooKeeper servers: how much happened when, what happened in a period,
// and the state before it. It reads the files once, and remembers positions from which to read again.
//
// It never writes and stores no transactions: each query reads the files. Whatever their size, it keeps at most
// 4096 counts of a period each, 4096 positions in the files, states of 200,000 znodes in total, and one more state
// of as many, with which it continues when the files grow. Pages of viz-server log query it. engine/observe/feed
// draws up the log of a period.
//
// engine/observe/past/compare.go compares servers. web/cluster/past.go is the Past page, and
// engine/run/room/past.go opens rooms for it.
package index

import (
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
)

// Limits on memory.
const (
	MaxNodes   = 200_000 // znodes of one state, and of all intermediate states together
	maxChunks  = 1 << 12
	chunkTxns  = 1 << 14 // of a chunk, until there are too many chunks
	farther    = 100_000 // a snapshot is read rather than this many more transactions
	maxTrouble = 100
)

// chunk is a place in the files at which reading can start.
type chunk struct {
	at           []past.Position // for each server
	zxid         int64           // the first transaction's
	minMS, maxMS int64           // its range of times, which leaders' clocks may disorder
	txns         int
}

// kept is the state before a chunk.
type kept struct {
	state *replay.State
	chunk int
}

// Index holds what is known about the files so far. All methods are safe for concurrent use.
type Index struct {
	turn chan struct{} // held while reading the files
	in   *reader       // for the holder of the turn
	seen seen

	mu sync.Mutex
	known
	opened     bool // Read has ended
	generation int64
	gone       []string // logs that were read and have been deleted
}

// known is what is known about the files.
type known struct {
	files    past.Files
	servers  []past.Server
	total    int64 // bytes of all logs
	read     int64 // of total
	done     bool
	behind   bool // there is more to read that nobody reads yet
	growing  bool // a server is writing the files
	err      error
	chunks   []chunk
	cut      int // how many transactions a chunk has
	times    timeline
	states   []kept
	every    int // chunks between two states
	leftOut  bool
	compared past.Compared
	trouble  []past.Trouble
	tails    []past.Trouble // about the ends of logs, which may still grow
	breaks   []int64        // the times of the first transactions after gaps
	end      int64          // the zxid after the last known one
}

// New returns an index of files that are still unread.
func New(files past.Files) (*Index, error) {
	x := &Index{turn: make(chan struct{}, 1)}
	seen, err := look(files, time.Time{})
	if err != nil {
		return nil, err
	}
	return x, x.begin(files, seen)
}

// begin drops everything known, and begins with these files.
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

// fresh returns a state for pages. It hides data that not everybody may read.
func fresh(root string, also ...string) *replay.State {
	s := replay.New(root, also...)
	s.Guarded, s.Most = true, MaxNodes
	return s
}

// broken records a gap before a transaction of that time.
func (x *Index) broken(ms int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.breaks) < maxTrouble {
		x.breaks = append(x.breaks, ms)
	}
}

// Unbroken returns the part of a period around a moment that has no gaps.
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

// pass is a chunk that is being read.
type pass struct {
	chunk
	end    int64
	counts []timed // counts not added to the index yet
	put    bool    // its chunk is already in the index
}

type timed struct {
	ms     int64
	counts Counts
}

// add counts a transaction's facts, one total for each second.
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

// put adds a chunk to the index.
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

// halve merges every two chunks into one. States stay if their place still exists.
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

// keep keeps the state before the next chunk, if there is room and a copy costs no more than reading from one state
// to the next.
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

// countsOf counts facts by kind.
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

// Known identifies the extent of knowledge: results stay valid as long as it is the same.
func (x *Index) Known() [2]int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return [2]int64{x.generation, x.end}
}
