package lessons

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Measure is something counted or found in a run, written with its arguments after slashes:
// wakeups, woken-by-release/1, watched-by/4.
type Measure struct {
	Name string
	Args []string
}

// String is the measure as written.
func (m Measure) String() string { return strings.Join(append([]string{m.Name}, m.Args...), "/") }

// ParseMeasure reads a measure and checks that it exists and has its arguments.
func ParseMeasure(s string) (Measure, error) {
	parts := strings.Split(s, "/")
	m := Measure{Name: parts[0], Args: parts[1:]}
	f, ok := measures[m.Name]
	if !ok {
		return m, fmt.Errorf("there is no measure %q", m.Name)
	}
	if len(f.args) != len(m.Args) {
		return m, fmt.Errorf("measure %s takes %d arguments, not %d", m.Name, len(f.args), len(m.Args))
	}
	for i, kind := range f.args {
		if n, err := strconv.Atoi(m.Args[i]); kind != anyText && (err != nil || n < 1) {
			return m, fmt.Errorf("measure %s: %q is not a %s", m.Name, m.Args[i], kind)
		}
	}
	return m, nil
}

// Of is the measure's value in r: a number in digits, a client's letter, or a word.
func (m Measure) Of(r *Run) (string, error) {
	v := measures[m.Name].of(r, m.Args)
	if v == "" {
		return "", fmt.Errorf("%s: there is no such thing in the run", m)
	}
	return v, nil
}

// clients are the measure's arguments that number a client.
func (m Measure) clients() []int {
	var out []int
	for i, kind := range measures[m.Name].args {
		if n, err := strconv.Atoi(m.Args[i]); kind == aClient && err == nil {
			out = append(out, n)
		}
	}
	return out
}

// The kinds of arguments, as they are called in errors.
const (
	aClient = "client's number"
	aPlace  = "place, from 1"
	anyText = "text"
)

type measure struct {
	args []string
	of   func(r *Run, args []string) string // "" if there is no such thing
}

func count(f func(r *Run) int) measure {
	return measure{of: func(r *Run, _ []string) string { return strconv.Itoa(f(r)) }}
}

func one(arg string, f func(r *Run, n int) string) measure {
	return measure{[]string{arg}, func(r *Run, args []string) string {
		n, _ := strconv.Atoi(args[0])
		return f(r, n)
	}}
}

// measures are all measures by name.
var measures = map[string]measure{
	// Figures of the whole run.
	"clients":            count(func(r *Run) int { return len(r.End.Clients) }),
	"session-seconds":    count(func(r *Run) int { return int(r.Log.Header.SessionTimeout.Seconds()) }),
	"requests":           count(func(r *Run) int { return r.Report.Figures.Requests }),
	"watches-set":        count(func(r *Run) int { return r.Report.Figures.WatchesSet }),
	"acquisitions":       count(func(r *Run) int { return r.Report.Figures.Acquisitions }),
	"wakeups":            count(func(r *Run) int { return r.End.Wakeups() }),
	"wakeups-by-release": count(func(r *Run) int { return r.Report.Figures.ByRelease }),
	"wakeups-by-arrival": count(func(r *Run) int { return r.Report.Figures.ByArrival }),
	"wakeups-wasted":     count(func(r *Run) int { return r.Report.Figures.Wasted }),
	"failed-creates":     count(func(r *Run) int { return failed(r, event.Create) }),
	"failed-deletes":     count(func(r *Run) int { return failed(r, event.Delete) }),
	"taken-twice":        count(takenTwice),
	"passed-before-last": count(passedBeforeLast),
	"stores-refused":     count(func(r *Run) int { return stores(r, event.StoreRefused) }),
	"worked-off":         count(workedOff),
	"published":          count(published),
	"left-early":         count(leftEarly),
	"counted-twice":      count(countedTwice),
	"failed-sets":        count(func(r *Run) int { return failed(r, event.Set) }),
	"most-believing":     count(func(r *Run) int { b, _ := mostInside(r); return b }),
	"most-inside":        count(func(r *Run) int { _, t := mostInside(r); return t }),

	// One release: the n-th deletion, or end of a session, that removed a znode.
	"woken-by-release":  one(aPlace, release(func(woken, _ int) int { return woken })),
	"wasted-by-release": one(aPlace, release(func(_, wasted int) int { return wasted })),
	"let-in-by-release": one(aPlace, release(func(woken, wasted int) int { return woken - wasted })),

	// Who.
	"holder":       one(aPlace, holder),
	"in-order":     {of: func(r *Run, _ []string) string { return inOrder(r) }},
	"watched-by":   one(aClient, watchedBy),
	"creator":      {[]string{anyText}, func(r *Run, args []string) string { return creator(r, args[0]) }},
	"let-in-after": one(aClient, letInAfter),

	// What clients are told, do and know.
	"told-of-change":       one(aPlace, toldOfChange),
	"does-when-told":       one(aPlace, doesWhenTold),
	"told-of":              {[]string{anyText}, func(r *Run, args []string) string { return toldOf(r, args[0]) }},
	"told-before":          {[]string{anyText}, func(r *Run, args []string) string { return toldBefore(r, args[0]) }},
	"stays":                {[]string{anyText}, func(r *Run, args []string) string { return stays(r, args[0]) }},
	"why-gone":             one(aClient, whyGone),
	"outlives-crash":       one(aClient, outlivesCrash),
	"knows-when-expired":   one(aClient, knowsWhenExpired),
	"believes-too-long":    one(aClient, believesTooLong),
	"goes-on-when-resumed": one(aClient, goesOnWhenResumed),
	"hears":                one(aClient, hears),
	"waits-for":            one(aClient, waitsFor),
	"in-after":             one(aClient, inAfter),
	"late-write":           one(aClient, lateWrite),
	"id-of":                one(aClient, idOf),
	"saw":                  one(aClient, func(r *Run, n int) string { return strconv.Itoa(phases(r, zoo.Saw, n)) }),
	"carried-out":          one(aClient, carriedOut),
	"comes-back":           one(aClient, comesBack),
	"fence-is-sequence":    {of: func(r *Run, _ []string) string { return fenceIsSequence(r) }},
	"told-of-end":          {[]string{anyText}, func(r *Run, args []string) string { return toldOfEnd(r, args[0]) }},
	"finishes":             {[]string{anyText}, func(r *Run, args []string) string { return finishes(r, args[0]) }},
	"does-at-end":          one(aClient, doesAtEnd),
	"told-while-paused":    one(aClient, toldWhilePaused),
	"refused-costs-zxid":   {of: func(r *Run, _ []string) string { return refusedCostsZxid(r) }},
}
