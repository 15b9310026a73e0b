package run

import (
	"math"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Summary is a run in figures and verdicts: the one object that `viz-server run --json` prints.
type Summary struct {
	Recipe       string            `json:"recipe"`
	Host         event.Host        `json:"host"`
	Clients      int               `json:"clients"`
	Rounds       int               `json:"rounds"`
	Seed         uint64            `json:"seed"`
	DurationMS   float64           `json:"duration_ms"` // virtual on the simulator
	Events       int               `json:"events"`
	Requests     int               `json:"requests"` // without handshakes, pings and the creation of the parent
	WatchesSet   int               `json:"watches_set"`
	WatchesFired int               `json:"watches_fired"`
	Acquisitions int               `json:"acquisitions"`
	Polls        int               `json:"polls,omitempty"` // tries that were refused, each followed by another
	Wakeups      Wakeups           `json:"wakeups"`
	Untold       []string          `json:"untold,omitempty"`   // figures that the log doesn't know
	Ensemble     *Ensemble         `json:"ensemble,omitempty"` // nil where the log shows no servers
	Promises     []Promise         `json:"promises"`           // all rules by which the run is judged
	Violations   []Violation       `json:"violations"`
	Undecided    []string          `json:"undecided,omitempty"` // rules for which the log doesn't show enough
	CutOff       string            `json:"cut_off,omitempty"`   // how the run ended, if that leaves rules undecided
	Unjudged     string            `json:"unjudged,omitempty"`  // WhyUnjudged in words, filled in by the printer
	WhyUnjudged  sentence.Sentence `json:"-"`                   // why there is no verdict; empty if there is one
}

// Promise is the verdict on one rule.
type Promise struct {
	Rule    string            `json:"rule"`
	Verdict string            `json:"verdict"` // Kept, Broken or Undecided
	Text    string            `json:"text"`    // what it asks for; filled in like a Violation's
	Asks    sentence.Sentence `json:"-"`
}

// The verdicts.
const (
	Kept      = "kept"
	Broken    = "broken"
	Undecided = "undecided"
)

// NoEnd is the CutOff of a run whose log doesn't say how it ended.
const NoEnd = "no-end"

// Wakeups counts the watch events that reached a client, by cause.
type Wakeups struct {
	ByRelease      int     `json:"by_release"`
	ByArrival      int     `json:"by_arrival"`
	MaxPerRelease  int     `json:"max_per_release"`
	MeanPerRelease float64 `json:"mean_per_release"` // to three digits
	Wasted         int     `json:"wasted"`
}

// Ensemble describes the servers at the end, and how clients moved among them.
type Ensemble struct {
	Moved   int      `json:"moved"` // sessions that continued at another server
	Servers []Server `json:"servers"`
}

// Server is a server of an ensemble at the end of the log.
type Server struct {
	Name    string     `json:"server"`
	Address string     `json:"address,omitempty"`
	Role    check.Role `json:"role"`
	Clients int        `json:"clients"` // those whose last connection was to it
}

// Violation is one broken rule. The code that prints it fills in the text, in the reader's language.
type Violation struct {
	Rule     string            `json:"rule"`
	AtMS     float64           `json:"at_ms"`
	Clients  []string          `json:"clients"`
	Key      string            `json:"key"` // of the sentence
	Text     string            `json:"text"`
	Sentence sentence.Sentence `json:"-"`
}

// Tally is a Sink that gathers what a Summary needs, in memory that doesn't grow with the log.
type Tally struct {
	header  event.Header
	checker *check.Checker
	end     time.Duration
	last    event.Event // the event that ends the run
}

// NewTally returns a Tally for a log with this header, judged by its recipe's promises.
func NewTally(h event.Header) *Tally {
	return &Tally{header: h, checker: check.New(Rules(h), h)}
}

// Rules returns those of a log's rules that this program knows, each once: the log is judged by them.
func Rules(h event.Header) []string {
	var known []string
	for _, rule := range h.Rules() {
		if promise.Known(rule) && !slices.Contains(known, rule) {
			known = append(known, rule)
		}
	}
	return known
}

// Observed reports whether the log shows a ZooKeeper that anybody uses as they like, and not a recipe's run. Such a
// log has no end of its own.
func Observed(h event.Header) bool { t := h.Host.Traits(); return t.RealTime && !t.Recipe }

// untold lists the figures that a log doesn't know: requests where only znodes are seen, and beliefs that nobody
// reports.
func untold(h event.Header, f *check.Figures) (all []string) {
	if !Observed(h) {
		return nil
	}
	if !h.Host.Traits().Visitors {
		all = []string{"requests", "watches_set", "watches_fired", "wakeups"}
	}
	if f.Acquisitions == 0 {
		all = append(all, "acquisitions")
	}
	return all
}

// Unjudged explains why a log can't be judged by promises: nobody knows what its recipe promised, or there is none.
// It returns the zero Sentence if the log is judged.
func Unjudged(h event.Header) sentence.Sentence {
	switch {
	case len(Rules(h)) > 0:
		return sentence.Sentence{}
	case Observed(h):
		return sentence.Of("unjudged.observed")
	case h.Recipe == "":
		return sentence.Of("unjudged.nameless")
	}
	if _, err := Recipe(h.Recipe); err != nil {
		return sentence.Of("unjudged.unknown", sentence.Cause(err))
	}
	return sentence.Of("unjudged.rules")
}

// Append adds the next event.
func (t *Tally) Append(e event.Event) {
	t.end = e.At
	if e.Kind == event.RunEnded {
		t.last = e
	}
	t.checker.Append(e)
}

// Ended returns the event that ended the run, and whether it has ended.
func (t *Tally) Ended() (event.Event, bool) { return t.last, t.last.Kind == event.RunEnded }

// Woken returns the number of wakeups so far that somebody's leaving or coming caused.
func (t *Tally) Woken() int { return t.checker.Woken() }

// Summary returns the summary so far.
func (t *Tally) Summary() Summary {
	h, r := t.header, t.checker.Report()
	f := r.Figures
	s := Summary{
		Recipe: h.Recipe, Host: h.Host, Clients: h.Clients, Rounds: h.Rounds, Seed: h.Seed,
		DurationMS: milliseconds(t.end),
		Events:     f.Events, Requests: f.Requests,
		WatchesSet: f.WatchesSet, WatchesFired: f.WatchesFired, Acquisitions: f.Acquisitions,
		Polls: f.Polls,
		Wakeups: Wakeups{
			ByRelease: f.ByRelease, ByArrival: f.ByArrival,
			MaxPerRelease: f.MaxPerRelease, MeanPerRelease: Rounded(f.MeanPerRelease), Wasted: f.Wasted,
		},
		Untold:      untold(h, &f),
		Ensemble:    ensembleOf(&h, r),
		Violations:  []Violation{},
		Undecided:   r.Unjudged,
		WhyUnjudged: Unjudged(h),
	}
	for _, v := range r.Violations {
		s.Violations = append(s.Violations, violation(v))
	}
	s.judge(Rules(h), t.last)
	return s
}

// judge gives each rule its verdict, after a run that ended with last.
func (s *Summary) judge(rules []string, last event.Event) {
	s.Promises = []Promise{}
	for _, rule := range rules {
		p := Promise{Rule: rule, Verdict: Kept, Asks: promise.Sentence(rule)}
		switch {
		case slices.ContainsFunc(s.Violations, func(v Violation) bool { return v.Rule == rule }):
			p.Verdict = Broken
		case slices.Contains(s.Undecided, rule):
			p.Verdict = Undecided
		case !promise.Decided(rule, last):
			p.Verdict = Undecided
			s.Undecided = append(s.Undecided, rule)
			if s.CutOff = NoEnd; last.Kind == event.RunEnded {
				s.CutOff = last.Reason.String()
			}
		}
		s.Promises = append(s.Promises, p)
	}
}

func ensembleOf(h *event.Header, r check.Report) *Ensemble {
	if len(r.Servers) == 0 {
		return nil
	}
	e := &Ensemble{Moved: r.Figures.Moved}
	for i, m := range r.Servers {
		e.Servers = append(e.Servers, Server{event.Server(i + 1).String(), h.Address(i + 1), m.Role, m.Clients})
	}
	return e
}

func violation(v promise.Violation) Violation {
	names := []string{}
	for _, c := range v.Clients {
		names = append(names, c.String())
	}
	return Violation{Rule: v.Rule, AtMS: milliseconds(v.At), Clients: names, Key: v.Sentence.Key, Sentence: v.Sentence}
}

// milliseconds converts to milliseconds, with three digits.
func milliseconds(d time.Duration) float64 {
	return Rounded(float64(d) / float64(time.Millisecond))
}

// Rounded rounds to three digits after the point: more would only be noise.
func Rounded(f float64) float64 { return math.Round(f*1000) / 1000 }
