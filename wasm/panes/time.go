package panes

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Film is the log of the branch that is shown. view.Film is one.
type Film interface {
	Len() int
	Event(i int) event.Event
}

// The time line is drawn in a box this wide and high.
const (
	trackWidth  = 1000
	trackHeight = 100
	buckets     = 200
)

// Track is the time line as SVG paths.
type Track struct {
	Ticks    string // how much happens when
	Releases string
	Steps    string
	Branches string
}

// NewTrack draws the time line of a log that is played from 0 to end.
func NewTrack(film Film, end time.Duration, steps, branches []time.Duration) Track {
	if end <= 0 {
		return Track{}
	}
	counts, releases := census(film, end)
	return Track{
		Ticks:    ticks(counts),
		Releases: lines(releases, end, trackHeight),
		Steps:    lines(steps, end, trackHeight*2/5),
		Branches: lines(branches, end, trackHeight),
	}
}

// census counts the events of each bucket, and finds the releases.
func census(film Film, end time.Duration) (counts [buckets]int, releases []time.Duration) {
	var last event.Event // of the deletions
	for i := range film.Len() {
		e := film.Event(i)
		counts[min(int(e.At*buckets/end), buckets-1)]++
		if e.Kind == event.ZnodeDeleted && e.Text != event.ByUnknown {
			if last.Seq == 0 || e.At != last.At || e.Cause != last.Cause {
				releases = append(releases, e.At)
			}
			last = e
		}
	}
	return counts, releases
}

// ticks draws one line for each bucket, higher the more there is.
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

// maxLines bounds how many marks of one kind are drawn: more could not be told apart.
const maxLines = 400

// lines draws a line from the top down at each time; those that would fall on the one before are left out.
func lines(times []time.Duration, end time.Duration, height int) string {
	var path []byte
	last, drawn := -1, 0
	for _, t := range times {
		x := int((min(max(t, 0), end)*trackWidth + end/2) / end)
		if x == last || drawn == maxLines {
			continue
		}
		last, drawn = x, drawn+1
		path = stroke(path, x, 0, height)
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

// Clock says where the playhead is.
func Clock(at time.Duration, seq event.Seq, of int, say Say) string {
	return say("time.clock", seconds(at, 3), grouped(int(seq)), grouped(of))
}

// ClockAloud is Clock for a screen reader.
func ClockAloud(at time.Duration, seq event.Seq, of int, say Say) string {
	return say("time.value", seconds(at, 1), grouped(int(seq)), grouped(of))
}
