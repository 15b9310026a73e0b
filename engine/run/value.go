package run

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// word is a text.
type word struct {
	field func(*Scenario) *string
}

func (v word) read(s *Scenario, texts []string) error { *v.field(s) = texts[0]; return nil }
func (v word) write(s Scenario) []string              { return []string{*v.field(&s)} }
func (v word) json(s Scenario) any                    { return *v.field(&s) }
func (v word) unset(Scenario) bool                    { return false }
func (v word) fill(*Scenario)                         {}
func (v word) judge(Scenario, recipe.Recipe) error    { return nil }
func (v word) Bounds(recipe.Recipe) (least, most any) { return nil, nil }

// count is a number from least to most, and never zero.
type count struct {
	field  func(*Scenario) *int
	usual  int
	least  func(recipe.Recipe) int
	most   int
	refuse func(s Scenario, least, most int) error
}

func (v count) read(s *Scenario, texts []string) error {
	n, err := strconv.Atoi(texts[0])
	if err != nil {
		return sentence.Error("bad.value.count")
	}
	*v.field(s) = n
	return nil
}

func (v count) write(s Scenario) []string         { return []string{strconv.Itoa(*v.field(&s))} }
func (v count) json(s Scenario) any               { return *v.field(&s) }
func (v count) unset(s Scenario) bool             { return *v.field(&s) == 0 }
func (v count) fill(s *Scenario)                  { *v.field(s) = v.usual }
func (v count) Bounds(r recipe.Recipe) (any, any) { return v.least(r), v.most }
func (v count) judge(s Scenario, r recipe.Recipe) error {
	if n := *v.field(&s); n < v.least(r) || n > v.most {
		return v.refuse(s, v.least(r), v.most)
	}
	return nil
}

// serverCount is the number of servers. A file has it only for an ensemble, or for a standalone server whose recipe
// asks for more, so that other files stay as they were.
type serverCount struct {
	count
	asked func(recipe string) int // the default for the recipe
}

func (v serverCount) fill(s *Scenario) { *v.field(s) = v.asked(s.Recipe) }

func (v serverCount) json(s Scenario) any {
	if n := *v.field(&s); n != v.usual || n != v.asked(s.Recipe) {
		return n
	}
	return nil
}

// number is any number from 0 on. No value means the default: in Go code a run has exactly the seed that it states.
type number struct {
	field func(*Scenario) *uint64
	usual uint64
}

func (v number) read(s *Scenario, texts []string) error {
	n, err := strconv.ParseUint(texts[0], 10, 64)
	if err != nil {
		return sentence.Error("bad.value.number")
	}
	*v.field(s) = n
	return nil
}

func (v number) write(s Scenario) []string { return []string{strconv.FormatUint(*v.field(&s), 10)} }

// json writes a text: the number may be too large for JavaScript.
func (v number) json(s Scenario) any                    { return v.write(s)[0] }
func (v number) unset(Scenario) bool                    { return false }
func (v number) fill(s *Scenario)                       { *v.field(s) = v.usual }
func (v number) judge(Scenario, recipe.Recipe) error    { return nil }
func (v number) Bounds(recipe.Recipe) (least, most any) { return 0, nil }

// span is a time from least to most, or a word with a meaning.
type span struct {
	field       func(*Scenario) *time.Duration
	usual       func(Scenario) time.Duration
	least, most time.Duration
	raised      time.Duration // what no time is read as, if not as zero
	word        string        // empty for none
	words       time.Duration // what the word means
	refuse      func(s Scenario, least, most time.Duration) error
}

func (v span) read(s *Scenario, texts []string) error {
	if v.word != "" && texts[0] == v.word {
		*v.field(s) = v.words
		return nil
	}
	d, err := time.ParseDuration(texts[0])
	if err != nil || d < 0 {
		return v.form()
	}
	if d == 0 {
		d = v.raised
	}
	*v.field(s) = d
	return nil
}

// form describes how the time is written.
func (v span) form() error {
	if v.word != "" {
		return sentence.Error("bad.value.span-or", sentence.Quote(v.word))
	}
	return sentence.Error("bad.value.span")
}

func (v span) write(s Scenario) []string {
	switch d := *v.field(&s); {
	case v.word != "" && d == v.words:
		return []string{v.word}
	case d == v.raised && d < 0:
		return []string{noTime}
	default:
		return []string{d.String()}
	}
}

func (v span) json(s Scenario) any             { return v.write(s)[0] }
func (v span) unset(s Scenario) bool           { return *v.field(&s) == 0 }
func (v span) fill(s *Scenario)                { *v.field(s) = v.usual(*s) }
func (v span) Bounds(recipe.Recipe) (any, any) { return v.least.String(), v.most.String() }
func (v span) judge(s Scenario, _ recipe.Recipe) error {
	d := *v.field(&s)
	if v.word != "" && d == v.words || v.raised < 0 && d == v.raised {
		return nil
	}
	if d < v.least || d > v.most {
		return v.refuse(s, v.least, v.most)
	}
	return nil
}

// jitter is a span that the latency bounds too: no message arrives before it was sent.
type jitter struct{ span }

func (v jitter) judge(s Scenario, r recipe.Recipe) error {
	if err := v.span.judge(s, r); err != nil {
		return err
	}
	if s.Jitter > s.Latency {
		return sentence.Error("bad.jitter", sentence.Duration(s.Latency), sentence.Duration(s.Jitter))
	}
	return nil
}

// optional is part of a value without a default: if it is unspecified, there is nothing to write.
type optional struct{}

func (optional) unset(Scenario) bool                    { return false }
func (optional) fill(*Scenario)                         {}
func (optional) Bounds(recipe.Recipe) (least, most any) { return nil, nil }

// faultList lists the faults of clients and servers.
type faultList struct{ optional }

func (faultList) read(s *Scenario, texts []string) (err error) {
	if len(texts) > MaxFaults {
		return tooManyFaults(len(texts))
	}
	s.Faults, err = fault.ParseAll(texts, s.Scope())
	return err
}

func (faultList) write(s Scenario) []string { return written(s.Faults) }

// written returns values as text, nil for none.
func written[T fmt.Stringer](list []T) (texts []string) {
	for _, v := range list {
		texts = append(texts, v.String())
	}
	return texts
}

func (v faultList) json(s Scenario) any {
	if len(s.Faults) == 0 {
		return nil
	}
	return v.write(s)
}

func (faultList) judge(s Scenario, r recipe.Recipe) error {
	if len(s.Faults) > MaxFaults {
		return tooManyFaults(len(s.Faults))
	}
	for _, f := range s.Faults {
		if err := f.Validate(s.scopeOf(r)); err != nil {
			return err
		}
	}
	return nil
}

// databaseKind is the database of a recipe that has tables.
type databaseKind struct{ optional }

func (databaseKind) read(s *Scenario, texts []string) error {
	kind := event.SystemKind(texts[0])
	if !kind.HasTables() {
		return sentence.Error("bad.value.database")
	}
	s.Database = kind
	return nil
}

// usual returns the recipe's default database.
func (databaseKind) usual(r recipe.Recipe) string { return string(Database(r)) }

func (databaseKind) write(s Scenario) []string {
	if s.Database == "" {
		return nil
	}
	return []string{string(s.Database)}
}

func (databaseKind) json(s Scenario) any {
	if s.Database == "" {
		return nil
	}
	return s.Database
}

func (databaseKind) judge(s Scenario, r recipe.Recipe) error {
	switch {
	case s.Database == "":
		return nil
	case !s.Database.HasTables():
		return sentence.Wrap(sentence.Error("bad.value.database"), "bad.value", sentence.Text("database"),
			sentence.Quote(string(s.Database)))
	case Database(r) == "":
		return sentence.Error("bad.database", sentence.Text(r.Name))
	}
	return nil
}

// pollTimes is the range of times after which clients try again, with a dash between two.
type pollTimes struct{ optional }

func (pollTimes) read(s *Scenario, texts []string) error {
	first, second, two := strings.Cut(texts[0], "-")
	if !two {
		second = first
	}
	least, err := time.ParseDuration(first)
	most, err2 := time.ParseDuration(second)
	if err != nil || err2 != nil || least == 0 && most == 0 {
		return sentence.Error("bad.value.poll")
	}
	s.Poll = recipe.Poll{Least: least, Most: most}
	return nil
}

func (pollTimes) write(s Scenario) []string {
	switch p := s.Poll; {
	case p == recipe.Poll{}:
		return nil
	case p.Least == p.Most:
		return []string{p.Least.String()}
	default:
		return []string{p.Least.String() + "-" + p.Most.String()}
	}
}

func (v pollTimes) json(s Scenario) any {
	if s.Poll == (recipe.Poll{}) {
		return nil
	}
	return v.write(s)[0]
}

func (v pollTimes) judge(s Scenario, _ recipe.Recipe) error {
	if p := s.Poll; p != (recipe.Poll{}) && (p.Least < MinPoll || p.Most < p.Least || p.Most > MaxPoll) {
		return sentence.Error("bad.poll", sentence.Duration(MinPoll), sentence.Duration(MaxPoll),
			sentence.Text(v.write(s)[0]))
	}
	return nil
}

// flawList lists the servers' flaws.
type flawList struct{ optional }

func (flawList) read(s *Scenario, texts []string) error {
	s.Flaws = 0
	for _, text := range texts {
		f, ok := zab.ParseFlaw(text)
		if !ok {
			return sentence.Error("bad.flaw", sentence.Quote(text), sentence.Text(strings.Join(zab.AllFlaws().Names(), ", ")))
		}
		s.Flaws |= f
	}
	return nil
}

func (flawList) write(s Scenario) []string { return s.Flaws.Names() }

func (v flawList) json(s Scenario) any {
	if s.Flaws == 0 {
		return nil
	}
	return v.write(s)
}

func (flawList) judge(s Scenario, _ recipe.Recipe) error {
	if s.Flaws != 0 && s.Servers == 1 {
		return sentence.Error("bad.flaw.alone")
	}
	return nil
}

func tooManyFaults(n int) error {
	return sentence.Error("bad.faults", sentence.Number(MaxFaults), sentence.Number(n))
}
