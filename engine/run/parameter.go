package run

import (
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
)

// Parameter is one setting of a run: its name wherever somebody writes it, its range, and its default.
type Parameter struct {
	Name string // as a flag and in a query; in a file it has underscores
	Text string // its meaning
	Hint string // the placeholder for its value in usage texts
	Note string // about its default, where the value alone doesn't explain it
	Many bool   // it may be given more than once

	Simulated bool // only for the simulator: real systems take what they have

	value
}

// value defines how a parameter's field of a Scenario is read, written, filled in and validated.
type value interface {
	// read sets the field from text. An error says what it should be, to follow "is not".
	read(s *Scenario, texts []string) error
	// write returns the field as read reads it: nothing, if it is an empty list.
	write(s Scenario) []string
	// json returns the field for a file, nil if it is left out.
	json(s Scenario) any
	// unset reports whether the field has the zero value that means the default in a Scenario of Go code.
	unset(s Scenario) bool
	// fill sets the field to its default, which may depend on the others.
	fill(s *Scenario)
	// judge returns a sentence on what is wrong with the field for the recipe, or nil.
	judge(s Scenario, r recipe.Recipe) error
	// Bounds returns the least and the greatest value for a recipe, as in a file; nil for none.
	Bounds(r recipe.Recipe) (least, most any)
}

// Limits of a scenario. They bound a run's time and memory in advance.
const (
	MaxClients = 1000
	MaxRounds  = 1000
	MaxFaults  = 1000
	MaxHold    = time.Hour
	MaxServers = fault.MaxServer

	// MinSessionTimeout and MaxSessionTimeout bound the requested timeout. A server still negotiates: with
	// ZooKeeper's defaults it grants 4s to 40s.
	MinSessionTimeout = time.Millisecond
	MaxSessionTimeout = time.Hour

	// MaxFlight bounds latency, jitter and stagger.
	MaxFlight = time.Minute

	// MinPoll and MaxPoll bound the time after which a client tries again.
	MinPoll = time.Millisecond
	MaxPoll = time.Minute
)

// Together is the stagger of clients that all start at once. It is written as no time.
const Together time.Duration = -1

const (
	defaultSeed = 1
	settledHold = "settled" // how program.UntilSettled is written
	noTime      = "0s"
)

// parameters is the table, in the order in which a scenario is written.
//
// A message, a hold and the jitter take at least 1ns: no time is read as the least possible. The default stagger is
// longer than the whole jitter of the three messages before a client's znode is created, so that the clients of a
// simulated run queue in the order of their numbers.
var parameters = []Parameter{
	{Name: "recipe", Text: "which recipe", Hint: "RECIPE", value: word{func(s *Scenario) *string { return &s.Recipe }}},
	{Name: "clients", Text: "how many clients take part", Hint: "N", value: count{
		field: func(s *Scenario) *int { return &s.Clients }, usual: 6, most: MaxClients,
		least: func(r recipe.Recipe) int { return max(r.MinClients, 1) },
		refuse: func(s Scenario, least, most int) error {
			return sentence.Error("bad.clients", sentence.Text(s.Recipe), sentence.Number(least), sentence.Number(most),
				sentence.Number(s.Clients))
		},
	}},
	{Name: "rounds", Text: "how many times each client goes through the recipe", Hint: "N", value: count{
		field: func(s *Scenario) *int { return &s.Rounds }, usual: 1, most: MaxRounds,
		least: func(recipe.Recipe) int { return 1 },
		refuse: func(s Scenario, least, most int) error {
			return sentence.Error("bad.rounds", sentence.Number(least), sentence.Number(most), sentence.Number(s.Rounds))
		},
	}},
	{
		Name: "hold", Text: "how long each client holds what it gets", Hint: "D",
		Note: "settled, until all the others are waiting again; with faults, until a second after the last of them",
		value: span{
			field: func(s *Scenario) *time.Duration { return &s.Hold }, usual: usualHold, raised: 1, most: MaxHold,
			word: settledHold, words: program.UntilSettled,
			refuse: func(s Scenario, _, most time.Duration) error {
				return sentence.Error("bad.hold", sentence.Duration(most), sentence.Duration(s.Hold))
			},
		},
	},
	{Name: "seed", Text: "seed of the simulator's randomness", Hint: "N",
		value: number{func(s *Scenario) *uint64 { return &s.Seed }, defaultSeed}},
	{Name: "session-timeout", Text: "session timeout that each client asks for", Hint: "D", value: span{
		field: func(s *Scenario) *time.Duration { return &s.SessionTimeout }, usual: always(10 * time.Second),
		least: MinSessionTimeout, most: MaxSessionTimeout,
		refuse: func(s Scenario, least, most time.Duration) error {
			return sentence.Error("bad.session-timeout", sentence.Duration(least), sentence.Duration(most),
				sentence.Duration(s.SessionTimeout))
		},
	}},
	{Name: "latency", Text: "how long a message takes, one way, on the simulator", Hint: "D", Simulated: true,
		value: flight("latency", func(s *Scenario) *time.Duration { return &s.Latency }, time.Millisecond, 1)},
	{Name: "jitter", Text: "how far a message's latency is off at random, either way", Hint: "D", Simulated: true,
		value: jitter{flight("jitter",
			func(s *Scenario) *time.Duration { return &s.Jitter }, 50*time.Microsecond, 1)}},
	{Name: "stagger", Text: "time between the starts of two clients", Hint: "D", value: flight("stagger",
		func(s *Scenario) *time.Duration { return &s.Stagger }, 500*time.Microsecond, Together)},
	{Name: "servers", Text: "how many servers ZooKeeper has, on the simulator", Hint: "N", Simulated: true,
		Note: "1, or what the recipe asks for", value: serverCount{count: count{
			field: func(s *Scenario) *int { return &s.Servers }, usual: 1, most: MaxServers,
			least: func(recipe.Recipe) int { return 1 },
			refuse: func(s Scenario, least, most int) error {
				return sentence.Error("bad.servers", sentence.Number(least), sentence.Number(most), sentence.Number(s.Servers))
			},
		}, asked: func(name string) int { return recipe.Servers(name) }}},
	{Name: "observers", Text: "how many observers there are beside these servers", Hint: "N", Simulated: true,
		value: serverCount{count{
			field: func(s *Scenario) *int { return &s.Observers }, usual: 0, most: MaxServers - 1,
			least: func(recipe.Recipe) int { return 0 },
			refuse: func(s Scenario, least, most int) error {
				return sentence.Error("bad.observers", sentence.Number(least), sentence.Number(most),
					sentence.Number(s.Observers))
			},
		}, func(string) int { return 0 }}},
	{Name: "database", Text: "which database, postgres or mysql, a recipe runs on that has tables", Hint: "DATABASE",
		Note: "the one that is named, or postgres", value: databaseKind{}},
	{Name: "store", Text: "what the holder of a lock writes to, like 'printer', where a recipe leaves a choice",
		Hint: "STORE", Note: "as the recipe does", value: storeName{}},
	{Name: "poll", Text: "after what time those try again who were refused, where a recipe polls", Hint: "D or D-D",
		Note: "as the recipe does", value: pollTimes{}},
	{Name: "first-number", Text: "the number that the first sequential znode gets, on the simulator", Hint: "N",
		Note: "0", Simulated: true, value: firstNumber{}},
	{Name: "flaw", Text: "something that these servers get wrong, like 'acks-before-sync'", Hint: "FLAW", Many: true,
		Simulated: true, value: flawList{}},
	{Name: "arrival", Text: "when a client comes and how long it holds what it gets, like " + arrivalForm,
		Hint: "ARRIVAL", Many: true, value: arrivalList{}},
	{Name: "fault", Text: "something done to a client, like " + fault.Form(), Hint: "FAULT", Many: true,
		value: faultList{}},
}

// Parameters returns all settings of a run, in the order in which a scenario is written.
func Parameters() []Parameter { return slices.Clone(parameters) }

// IsParameter reports whether a setting of a run has that name.
func IsParameter(name string) bool {
	_, ok := parameter(name)
	return ok
}

// parameter finds a parameter by its name.
func parameter(name string) (Parameter, bool) {
	i := slices.IndexFunc(parameters, func(p Parameter) bool { return p.Name == name })
	if i < 0 {
		return Parameter{}, false
	}
	return parameters[i], true
}

// Default returns the parameter's default, as written.
func (p Parameter) Default() string {
	var s Scenario
	p.fill(&s)
	return strings.Join(p.write(s), " ")
}

// Usual returns the parameter's default for a recipe, as written. Where no default holds for all recipes, the value
// may know one.
func (p Parameter) Usual(r recipe.Recipe) string {
	if v, ok := p.value.(interface{ usual(recipe.Recipe) string }); ok {
		return v.usual(r)
	}
	return p.Default()
}

// Help returns a sentence on the parameter for a list of flags.
func (p Parameter) Help() string {
	help := strings.ToUpper(p.Text[:1]) + p.Text[1:]
	switch {
	case p.Many:
		return help + ". May be repeated."
	case p.Note != "":
		return help + " (default: " + p.Note + ")."
	case p.Default() != "":
		return help + " (default: " + p.Default() + ")."
	}
	return help + "."
}

// fileKey returns the parameter's name in a file.
func (p Parameter) fileKey() string {
	if p.Many {
		return p.Name + "s"
	}
	return strings.ReplaceAll(p.Name, "-", "_")
}

// usualHold returns a hold until all others wait again or, with faults, until a second after the last of them: a
// settled run is over in moments, and a fault after its end shows nothing.
func usualHold(s Scenario) time.Duration {
	if len(s.Faults) == 0 {
		return program.UntilSettled
	}
	var last time.Duration
	for _, f := range s.Faults {
		last = max(last, f.At)
	}
	return min(min(last, MaxHold)+time.Second, MaxHold)
}

func always(d time.Duration) func(Scenario) time.Duration {
	return func(Scenario) time.Duration { return d }
}

// flight defines a time of the network.
func flight(name string, field func(*Scenario) *time.Duration, usual, zero time.Duration) span {
	return span{
		field: field, usual: always(usual), raised: zero, most: MaxFlight,
		refuse: func(s Scenario, _, most time.Duration) error {
			return sentence.Error("bad.flight", sentence.Text(name), sentence.Duration(most), sentence.Duration(*field(&s)))
		},
	}
}
