package panes

import (
	"math/bits"
	"sort"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// History is the log of the branch that is shown, a view.History.
type History interface {
	Len() int
	Event(i int) event.Event
}

// Size of the box of the time line, and the number of bars in it.
const (
	trackWidth  = 1000
	trackHeight = 100
	buckets     = 200
)

// Track is the time line as SVG paths.
type Track struct {
	Ticks    string // number of events over time
	Releases string
	Servers  string // another leader, or a quorum lost or back, as an observer noticed
	Steps    string
	Branches string
}

// NewTrack draws the time line of a log that is played from 0 to end. It adds the releases among the events read so
// far; a growing history costs only its new events.
func NewTrack(history History, releases *Releases, end time.Duration, steps, branches []time.Duration) Track {
	if end <= 0 {
		return Track{}
	}
	releases.follow(history)
	return Track{
		Ticks:    ticks(releases.census(history, end)),
		Releases: lines(apart(releases.at, end), end, trackHeight),
		Servers:  lines(apart(releases.servers, end), end, trackHeight),
		Steps:    lines(steps, end, trackHeight*2/5),
		Branches: lines(branches, end, trackHeight),
	}
}

// Releases holds the times of the releases in a growing history. Its zero value is for an empty history.
type Releases struct {
	at      []time.Duration
	last    event.Event     // last deletion
	servers []time.Duration // when something was noticed among an ensemble's servers
	upTo    int             // number of events read
	some    []time.Duration // times of a sample of the events
}

// In a history with more than manyEvents, only every sample-th event is counted: the difference isn't visible.
const (
	manyEvents = 100_000
	sample     = 64
)

// followAtOnce is the maximum number of events read in one go: a branch of a long log starts with millions.
const followAtOnce = 100_000

// behind reports whether there are unread events.
func (r *Releases) behind(history History) bool { return r.upTo < history.Len() }

func (r *Releases) follow(history History) {
	for to := min(history.Len(), r.upTo+followAtOnce); r.upTo < to; r.upTo++ {
		e := history.Event(r.upTo)
		if r.upTo%sample == 0 {
			r.some = append(r.some, e.At)
		}
		if e.Kind == event.RecipeNote && e.Reason >= event.LeaderNow && e.Reason <= event.QuorumBack {
			r.servers = append(r.servers, e.At)
		}
		if e.Kind != event.ZnodeDeleted || e.Reason == event.ByUnknown {
			continue
		}
		if r.last.Seq == 0 || e.At != r.last.At || e.Cause != r.last.Cause {
			r.at = append(r.at, e.At)
		}
		r.last = e
	}
}

// census counts the events of each bucket. They are ordered by time.
func (r *Releases) census(history History, end time.Duration) (counts [buckets]int) {
	n, at := history.Len(), func(i int) time.Duration { return history.Event(i).At }
	if n > manyEvents {
		n, at = len(r.some), func(i int) time.Duration { return r.some[i] }
	}
	from := 0
	for b := range counts {
		to := sort.Search(n, func(i int) bool { return bucket(at(i), end) > b })
		counts[b], from = to-from, to
	}
	return counts
}

func bucket(at, end time.Duration) int {
	if at >= end {
		return buckets - 1
	}
	high, low := bits.Mul64(uint64(at), buckets)
	n, _ := bits.Div64(high, low, uint64(end))
	return int(n)
}

// apart returns the times, which are sorted, without those whose lines would coincide with the one before.
func apart(times []time.Duration, end time.Duration) (kept []time.Duration) {
	for len(times) > 0 {
		x := column(times[0], end)
		kept = append(kept, times[0])
		times = times[sort.Search(len(times), func(i int) bool { return column(times[i], end) > x }):]
	}
	return kept
}

// column returns the x of a time on the time line.
func column(t, end time.Duration) int {
	return int((min(max(t, 0), end)*trackWidth + end/2) / end)
}

// ticks draws a line for each bucket, proportional to its count.
func ticks(counts [buckets]int) string {
	most := 1
	for _, n := range counts {
		most = max(most, n)
	}
	var path []byte
	for i, n := range counts {
		if n == 0 {
			continue
		}
		height := max(6, n*(trackHeight*7/10)/most)
		path = stroke(path, (2*i+1)*trackWidth/(2*buckets), trackHeight, trackHeight-height)
	}
	return string(path)
}

// maxLines is the maximum number of marks of one kind: more would blur.
const maxLines = 400

// lines draws a line from the top at each time. It omits lines that would coincide with the one before or, if there are
// too many, come too close to it.
func lines(times []time.Duration, end time.Duration, height int) string {
	for least := 1; ; least++ {
		if path, drawn := linesApart(times, end, height, least); drawn <= maxLines {
			return path
		}
	}
}

func linesApart(times []time.Duration, end time.Duration, height, least int) (string, int) {
	var path []byte
	last, drawn := -least, 0
	for _, t := range times {
		x := column(t, end)
		if max(x-last, last-x) < least {
			continue
		}
		last, drawn = x, drawn+1
		path = stroke(path, x, 0, height)
	}
	return string(path), drawn
}

// QuietLines draws a line along the top for each stretch that is played fast.
func QuietLines(quiet []Stretch, end time.Duration) string {
	var path []byte
	for _, q := range quiet[:min(len(quiet), maxLines)] {
		if from, to := column(q.From, end), column(q.To, end); from < to {
			path = append(path, 'M')
			path = strconv.AppendInt(path, int64(from), 10)
			path = append(path, " 4H"...)
			path = strconv.AppendInt(path, int64(to), 10)
		}
	}
	return string(path)
}

func stroke(path []byte, x, from, to int) []byte {
	path = append(path, 'M')
	path = strconv.AppendInt(path, int64(x), 10)
	path = append(path, ' ')
	path = strconv.AppendInt(path, int64(from), 10)
	path = append(path, 'V')
	return strconv.AppendInt(path, int64(to), 10)
}

// longArrival is the minimum length of a log whose progress of arrival is shown.
const longArrival = 500_000

// Clock writes the playhead's position among the events that have arrived; for a long log, also how many of all events
// those are.
func Clock(at time.Duration, seq event.Seq, here, all int, say Say) string {
	if here < all && all >= longArrival {
		return say("time.arriving", seconds(at, 3), sentence.Grouped(int(seq)), millions(here), millions(all))
	}
	return say("time.clock", seconds(at, 3), sentence.Grouped(int(seq)), sentence.Grouped(here))
}

func millions(n int) string { return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) }

// ClockFast is Clock while playing fast.
func ClockFast(at time.Duration, say Say) string { return say("time.fast", seconds(at, 0)) }

// ClockAloud is Clock for a screen reader.
func ClockAloud(at time.Duration, seq event.Seq, of int, say Say) string {
	return say("time.value", seconds(at, 1), sentence.Grouped(int(seq)), sentence.Grouped(of))
}
