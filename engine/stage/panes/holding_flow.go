package panes

import (
	"sort"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// flows counts, along a log, which children of each znode came and went, and how the data of znodes grew. It only
// accumulates, so it can answer for any moment. Its zero value has read nothing.
type flows struct {
	upTo  int // number of events read
	of    map[string]*flow
	plain map[string]*flow  // of children without numbers: they are not items of a queue
	data  map[string][]size // of znodes whose data has changed
	bytes map[string]int64  // of existing znodes whose data hasn't changed
	// growing lists the znodes that have ever grown by much, in that order.
	growing []grown
	noted   map[grown]bool
}

// flow counts the children that have come and gone up to each change.
type flow struct {
	seqs     []event.Seq
	in, out  []int32 // created and deleted since the log began
	was, now int32   // number before the log began, as far as known, and now
}

// size is the size of a znode's data from an event on.
type size struct {
	seq   event.Seq
	bytes int64 // -1 once it is deleted
	first int64 // its size at its creation
}

// grown is a znode that has got more children or more data.
type grown struct {
	path string
	data bool
}

// What counts as growing: at least doubled, and by this much.
const (
	growsBy      = 20      // children
	growsByBytes = 1 << 10 // bytes of data
)

// behind reports whether there are unread events.
func (x *flows) behind(history *view.History) bool { return x.upTo < history.Len() }

// follow reads new events, but not too many at once.
func (x *flows) follow(history *view.History) {
	if x.of == nil {
		x.of, x.plain = map[string]*flow{}, map[string]*flow{}
		x.data, x.bytes = map[string][]size{}, map[string]int64{}
		x.noted = map[grown]bool{}
	}
	for to := min(history.Len(), x.upTo+followAtOnce); x.upTo < to; x.upTo++ {
		if e := history.Event(x.upTo); e.Path != "" {
			x.take(&e)
		}
	}
}

func (x *flows) take(e *event.Event) {
	switch e.Kind {
	case event.ZnodeFound:
		if e.Introduces() {
			f := below(x.of, e.Path)
			f.was++
			f.now++
			x.bytes[e.Path] = int64(e.Code)
		}
	case event.ZnodeCreated:
		x.pass(e, 1, 0)
		x.bytes[e.Path] = e.N
		x.mind(parentOf(e.Path))
		if list := x.data[e.Path]; list != nil { // another znode of the same name
			x.data[e.Path] = append(list, size{e.Seq, e.N, e.N})
		}
	case event.ZnodeDeleted:
		x.pass(e, 0, 1)
		delete(x.bytes, e.Path)
		if list := x.data[e.Path]; list != nil {
			x.data[e.Path] = append(list, size{e.Seq, -1, -1})
		}
	case event.ZnodeChanged:
		x.change(e)
	}
}

// pass counts a child that comes or goes.
func (x *flows) pass(e *event.Event, in, out int32) {
	below(x.of, e.Path).pass(e.Seq, in, out)
	if _, numbered := event.Sequence(e.Path); !numbered {
		below(x.plain, e.Path).pass(e.Seq, in, out)
	}
}

// below returns the flow of a child's parent.
func below(all map[string]*flow, child string) *flow {
	p := parentOf(child)
	f := all[p]
	if f == nil {
		f = &flow{}
		all[p] = f
	}
	return f
}

func (f *flow) pass(seq event.Seq, in, out int32) {
	f.now += in - out
	if n := len(f.seqs); n > 0 {
		in, out = in+f.in[n-1], out+f.out[n-1]
	}
	f.seqs, f.in, f.out = append(f.seqs, seq), append(f.in, in), append(f.out, out)
}

// mind records that a znode has got many children.
func (x *flows) mind(path string) {
	if f := x.of[path]; doubled(int64(f.was), int64(f.now), growsBy) {
		x.note(grown{path: path})
	}
}

func (x *flows) change(e *event.Event) {
	list := x.data[e.Path]
	first := e.N
	switch n := len(list); {
	case n > 0 && list[n-1].bytes >= 0:
		first = list[n-1].first
	case n == 0:
		if was, known := x.bytes[e.Path]; known {
			first = was
			delete(x.bytes, e.Path)
		}
	}
	x.data[e.Path] = append(list, size{e.Seq, e.N, first})
	if doubled(first, e.N, growsByBytes) {
		x.note(grown{path: e.Path, data: true})
	}
}

func (x *flows) note(g grown) {
	if !x.noted[g] {
		x.noted[g] = true
		x.growing = append(x.growing, g)
	}
}

func doubled(was, now, by int64) bool { return now-was >= by && now >= 2*was }

// passed returns how many children have come and gone up to an event.
func (f *flow) passed(seq event.Seq) (in, out int) {
	i := sort.Search(len(f.seqs), func(i int) bool { return f.seqs[i] > seq })
	if i == 0 {
		return 0, 0
	}
	return int(f.in[i-1]), int(f.out[i-1])
}

// emptied reports whether all children of a znode are gone by an event.
func (x *flows) emptied(of string, seq event.Seq) bool {
	f := x.of[of]
	if f == nil {
		return false
	}
	in, out := f.passed(seq)
	return out > 0 && int(f.was)+in == out
}

// rates returns how many items of a queue came and went in the window before an event.
func (x *flows) rates(of string, history *view.History, seq event.Seq, at, window time.Duration) (in, out int) {
	before := event.Seq(0)
	if at > window {
		before = history.SeqAt(at - window)
	}
	for i, f := range [...]*flow{x.of[of], x.plain[of]} {
		if f == nil {
			continue
		}
		came, went := f.passed(seq)
		was, gone := f.passed(before)
		if came, went = came-was, went-gone; i > 0 {
			came, went = -came, -went
		}
		in, out = in+came, out+went
	}
	return in, out
}

// grew returns the sizes between which a znode has grown by an event; false if it hasn't grown by much.
func (x *flows) grew(g grown, seq event.Seq) (was, now int64, ok bool) {
	if !g.data {
		f := x.of[g.path]
		in, out := f.passed(seq)
		was, now = int64(f.was), int64(int(f.was)+in-out)
		return was, now, doubled(was, now, growsBy)
	}
	list := x.data[g.path]
	i := sort.Search(len(list), func(i int) bool { return list[i].seq > seq })
	if i == 0 {
		return 0, 0, false
	}
	s := list[i-1]
	return s.first, s.bytes, s.bytes >= 0 && doubled(s.first, s.bytes, growsByBytes)
}

// parentOf returns the path of a znode's parent; the root has "".
func parentOf(path string) string {
	switch i := strings.LastIndexByte(path, '/'); {
	case i > 0:
		return path[:i]
	case i == 0 && path != "/":
		return "/"
	}
	return ""
}
