package compare

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
)

// Contest returns the default run for comparing the locks of every system. A message takes as long as between two
// programs on one machine. All wait before the first leaves: otherwise clients that poll may do so at times that
// happen to suit the last to come. Nobody is overtaken on the way: the starts are further apart than the jitter of
// the three messages of a first request.
func Contest() run.Scenario {
	return run.Scenario{Clients: 50, Hold: 20 * time.Millisecond, Latency: 50 * time.Microsecond,
		Jitter: 15 * time.Microsecond, Stagger: 100 * time.Microsecond}
}

// Entries returns the ways in which a recipe's clients try again in the contest: it takes part once with each.
func Entries(r recipe.Recipe) []recipe.Poll {
	if len(r.Contest) == 0 {
		return recipe.Once()
	}
	return r.Contest
}

// Figure is one figure of a run.
type Figure struct {
	Name string
	Text func(Row) string
	Size func(Row) float64 // as it is drawn; nil for one that is only written
}

// ContestFigures returns the contest's figures, in the order of its table.
func ContestFigures() []Figure {
	return []Figure{
		{"requests", func(r Row) string { return Grouped(r.PerRelease.Requests) },
			func(r Row) float64 { return r.PerRelease.Requests }},
		{"polls", func(r Row) string { return Grouped(r.PerRelease.Polls) }, nil},
		{"bytes", OnTheWire, nil},
		{"wakeups", func(r Row) string { return sentence.Grouped(r.Wakeups.ByRelease) },
			func(r Row) float64 { return float64(r.Wakeups.ByRelease) }},
		{"handover", func(r Row) string { return ShortTime(r.MedianMS) }, func(r Row) float64 { return r.MedianMS }},
		{"at most", func(r Row) string { return ShortTime(r.MaxMS) }, nil},
		{"longest wait", func(r Row) string { return ShortTime(r.LongestMS) }, func(r Row) float64 { return r.LongestMS }},
		{"out of order", func(r Row) string { return strconv.Itoa(r.OutOfOrder) }, nil},
	}
}

// none stands for a missing figure.
const none = "–"

// OnTheWire writes the bytes of one release, or a dash for a system whose message sizes the log doesn't show: etcd
// uses HTTP, whose headers depend on the sender.
func OnTheWire(r Row) string {
	if r.Bytes == 0 {
		return none
	}
	return sentence.Grouped(int(r.PerRelease.Bytes + 0.5))
}

// Grouped writes 4995.5 as 4,995.5.
func Grouped(f float64) string {
	tenths := int(f*10 + 0.5)
	s := sentence.Grouped(tenths / 10)
	if tenths%10 > 0 {
		s += "." + strconv.Itoa(tenths%10)
	}
	return s
}

// ShortTime writes milliseconds as a time with about three digits, and a dash for none.
func ShortTime(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d == 0:
		return none
	case d >= 10*time.Millisecond:
		return sentence.Spell(d.Round(time.Millisecond))
	}
	return sentence.Spell(d.Round(10 * time.Microsecond))
}
