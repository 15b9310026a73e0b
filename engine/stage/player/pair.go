package player

import (
	"sort"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// InStep says how two runs are kept in step.
type InStep string

const (
	// ByTime shows both at the same time since their starts.
	ByTime InStep = "time"
	// ByHandOver shows both after the same number of hand-overs, and as far on the way to the next one.
	ByHandOver InStep = "handover"
)

// RunNames parses a page's words on two runs: what people call each, the rule that the step is about, and what stands
// beside the first run as the page's command takes it. All but the names may be missing.
func RunNames(written string) (names [2]string, rule, beside string) {
	names[0], written, _ = strings.Cut(written, " | ")
	names[1], written, _ = strings.Cut(written, " | ")
	rule, beside, _ = strings.Cut(written, " | ")
	return names, rule, beside
}

// Pair shows two runs together. The first one has the clock, and the second follows it.
type Pair struct {
	By InStep

	lead, other *Player
	twin        bool   // the second is another branch of the first one's run
	long        *Track // of the first, which can be played until both have ended
	parting     parting
}

// NewPair lets other follow lead. The caller opens and fills other, and gives it no commands.
func NewPair(lead, other *Player, by InStep) *Pair {
	lead.setPaired(true)
	return &Pair{By: by, lead: lead, other: other}
}

// NewTwin lets another branch of the same run follow lead.
func NewTwin(lead *Player, branch int, by InStep) *Pair {
	p := NewPair(lead, New(), by)
	p.twin, p.other.Log.branch = true, branch
	p.Keep()
	return p
}

// End dissolves the pair.
func (p *Pair) End() {
	p.lead.setPaired(false)
	p.outlast(nil, 0)
	if t := p.lead.Log.Shown(); t != nil && t.complete() {
		p.lead.Head.at = min(p.lead.Head.at, t.End())
	}
}

// outlast lets a branch of the first run be played until a time, and no other. A playhead that was to go beyond the
// branch's own end does so now.
func (p *Pair) outlast(t *Track, until time.Duration) {
	if p.long != nil && p.long != t {
		p.long.beside = 0
	}
	if p.long = t; t == nil {
		return
	}
	was := t.End()
	t.beside = until
	if h := &p.lead.Head; !h.playing && h.at == was && h.wanted > was {
		h.at = min(h.wanted, t.End())
		h.stood = h.at
	}
}

// setPaired changes how quiet spans are played, and with it the boost of the step being played.
func (p *Player) setPaired(on bool) {
	p.Pace.paired = on
	t := p.Log.Shown()
	if t == nil || p.telling.boost == 0 {
		return
	}
	if i := t.index(p.telling.heading); i >= 0 {
		at, _ := t.place(t.steps[i])
		p.telling.boost = p.Pace.boost(p.Log.run, t, p.Head.at, at)
	}
}

// Other returns the second run.
func (p *Pair) Other() *Player { return p.other }

// Twin reports whether the second is another branch of the same run.
func (p *Pair) Twin() bool { return p.twin }

// Keep moves the second run to the first one's position, as far as it has arrived. Call it after anything that may move
// either.
func (p *Pair) Keep() {
	l, o := p.lead, p.other
	if p.twin {
		o.Log.run, o.Log.tracks = l.Log.run, l.Log.tracks
	}
	o.Head.playing, o.Pace.still, o.pending = l.Head.playing, l.Pace.still, nil
	o.Select(p.There(l.chosen))
	one, two := l.Log.Shown(), o.Log.Shown()
	if one == nil || two == nil {
		return
	}
	switch {
	case p.By == ByTime && two.complete():
		p.outlast(one, two.ownEnd())
	case p.By == ByHandOver && one.complete() && two.complete():
		p.outlast(one, endByHandOver(one, two))
	default:
		p.outlast(nil, 0)
	}
	p.parting.follow(one, two, l.Log.run.Header.Root, o.Log.run.Header.Root)
	o.Head.stood, _ = p.place(one, two, l.Head.stood, one.history.SeqAt(l.Head.stood))
	o.Head.move(p.place(one, two, l.Head.at, l.Head.seq))
}

// place returns the second run's position for a position of the first.
func (p *Pair) place(one, two *Track, at time.Duration, seq event.Seq) (time.Duration, event.Seq) {
	if p.By == ByHandOver {
		return byHandOver(one, two, at, seq)
	}
	to := min(at, two.ownEnd())
	if seq <= p.parting.same() {
		return to, seq // up to here they have the same events
	}
	return to, two.history.SeqAt(to)
}

// byHandOver returns the position after the same number of hand-overs, or the end of a run that has fewer. After the
// last hand-over of the first run, the second goes on to its end.
func byHandOver(one, two *Track, at time.Duration, seq event.Seq) (time.Duration, event.Seq) {
	ones, twos := one.history.Releases(), two.history.Releases()
	k := sort.Search(len(ones), func(i int) bool { return ones[i].Seq > seq })
	if k > len(twos) {
		return two.ownEnd(), event.Seq(two.history.Len())
	}
	from, begun := passed(ones, k), passed(twos, k)
	to := begun + at - from
	if k < len(ones) && k < len(twos) && ones[k].At > from {
		part := float64(at-from) / float64(ones[k].At-from)
		to = begun + time.Duration(part*float64(twos[k].At-begun))
	}
	to = min(max(to, begun), two.ownEnd())
	upTo := two.history.SeqAt(to)
	if at == from && k > 0 {
		upTo = twos[k-1].Seq
	}
	more := k < len(ones) || !one.complete()
	if more && k < len(twos) && upTo >= twos[k].Seq { // it waits for the other run
		upTo, to = twos[k].Seq-1, min(to, twos[k].At)
	}
	return to, upTo
}

// endByHandOver returns the time of the first run at which the second ends, 0 if that is before its last hand-over.
func endByHandOver(one, two *Track) time.Duration {
	ones, twos := one.history.Releases(), two.history.Releases()
	k := len(ones)
	if k > len(twos) {
		return 0
	}
	return passed(ones, k) + two.ownEnd() - passed(twos, k)
}

// passed returns the time of the k-th release, or 0 for the start.
func passed(releases []view.Release, k int) time.Duration {
	if k == 0 {
		return 0
	}
	return releases[k-1].At
}

// Time returns the second run's time for a time of the first.
func (p *Pair) Time(at time.Duration) time.Duration {
	one, two := p.lead.Log.Shown(), p.other.Log.Shown()
	if one == nil || two == nil {
		return at
	}
	there, _ := p.place(one, two, at, one.history.SeqAt(at))
	return there
}

// There translates an ID of the first run for the second: a client keeps its letter, a znode its place below the root.
func (p *Pair) There(id string) string {
	return moved(id, p.lead.Log.run.Header.Root, p.other.Log.run.Header.Root)
}

// Here is the reverse of There.
func (p *Pair) Here(id string) string {
	return moved(id, p.other.Log.run.Header.Root, p.lead.Log.run.Header.Root)
}

func moved(id, from, to string) string {
	if below, ok := strings.CutPrefix(id, from); ok && from != "" && (below == "" || below[0] == '/') {
		return to + below
	}
	return id
}

// Parted returns the first event in which the runs differ, and its time in the first run. It is false if they are equal
// as far as both have arrived.
func (p *Pair) Parted() (event.Seq, time.Duration, bool) {
	t := p.lead.Log.Shown()
	if t == nil || !p.parting.found {
		return 0, 0, false
	}
	at := min(p.parting.at, event.Seq(t.history.Len()))
	return at, t.time(at), true
}
