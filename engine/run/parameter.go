package run

import (
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/recipes"
)

// Parameter is one thing that a run can be told: what it is called wherever somebody writes it, what it may be, and
// what it is if nobody says.
type Parameter struct {
	Name string // as a flag and in a query; in a file it has underscores
	Text string // what it says of a run
	Hint string // what stands for its value where its use is explained
	Note string // on its default, where a value alone does not tell
	Many bool   // it may be given more than once

	Simulated bool // it is of the simulator alone: real systems take what they have

	value
}

// value is how a parameter's field of a Scenario is read, written, filled in and judged.
type value interface {
	// read sets the field to what is written. An error says what it should be, to follow "is not".
	read(s *Scenario, texts []string) error
	// write gives the field as read reads it: nothing, if it is an empty list.
	write(s Scenario) []string
	// json is the field in a file, nil if it is left out.
	json(s Scenario) any
	// unset reports whether the field has the zero value that stands for the default in a Scenario of Go code.
	unset(s Scenario) bool
	// fill gives the field its default, which may depend on the others.
	fill(s *Scenario)
	// judge says in a sentence what is wrong with the field for the recipe, or returns nil.
	judge(s Scenario, r recipes.Recipe) error
	// Bounds are the least and the greatest value for a recipe, as a file has them; nil for none.
	Bounds(r recipes.Recipe) (least, most any)
}

// Limits of a scenario. They keep a run's time and memory in bounds that are known beforehand.
const (
	MaxClients = 1000
	MaxRounds  = 1000
	MaxFaults  = 1000
	MaxHold    = time.Hour
	MaxServers = fault.MaxServer

	// MinSessionTimeout and MaxSessionTimeout bound what may be asked for. A server still negotiates: with
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
// A message takes 1ns at least, and so do a hold and the jitter: what is written as no time is as little as there
// can be. That the clients of a simulated run queue in the order of their numbers, the default stagger is longer than
// all the jitter of the three messages before a client's znode is made.
var parameters = []Parameter{
	{Name: "recipe", Text: "which recipe", Hint: "RECIPE", value: word{func(s *Scenario) *string { return &s.Recipe }}},
	{Name: "clients", Text: "how many clients take part", Hint: "N", value: count{
		field: func(s *Scenario) *int { return &s.Clients }, usual: 6, most: MaxClients,
		least: func(r recipes.Recipe) int { return max(r.MinClients, 1) },
		refuse: func(s Scenario, least, most int) error {
			return sentence.Error("bad.clients", sentence.Text(s.Recipe), sentence.Number(least), sentence.Number(most),
				sentence.Number(s.Clients))
		},
	}},
	{Name: "rounds", Text: "how many times each client goes through the recipe", Hint: "N", value: count{
		field: func(s *Scenario) *int { return &s.Rounds }, usual: 1, most: MaxRounds,
		least: func(recipes.Recipe) int { return 1 },
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
			least: func(recipes.Recipe) int { return 1 },
			refuse: func(s Scenario, least, most int) error {
				return sentence.Error("bad.servers", sentence.Number(least), sentence.Number(most), sentence.Number(s.Servers))
			},
		}, asked: func(recipe string) int { return recipes.Servers(recipe) }}},
	{Name: "observers", Text: "how many observers there are beside these servers", Hint: "N", Simulated: true,
		value: serverCount{count{
			field: func(s *Scenario) *int { return &s.Observers }, usual: 0, most: MaxServers - 1,
			least: func(recipes.Recipe) int { return 0 },
			refuse: func(s Scenario, least, most int) error {
				return sentence.Error("bad.observers", sentence.Number(least), sentence.Number(most),
					sentence.Number(s.Observers))
			},
		}, func(string) int { return 0 }}},
	{Name: "database", Text: "which database, postgres or mysql, a recipe runs on that has tables", Hint: "DATABASE",
		Note: "the one that is named, or postgres", value: databaseKind{}},
	{Name: "poll", Text: "after what time those try again who were refused, where a recipe polls", Hint: "D or D-D",
		Note: "as the recipe does", value: pollTimes{}},
	{Name: "flaw", Text: "something that these servers get wrong, like 'acks-before-sync'", Hint: "FLAW", Many: true,
		Simulated: true, value: flawList{}},
	{Name: "arrival", Text: "when a client comes and how long it holds what it gets, like " + arrivalForm,
		Hint: "ARRIVAL", Many: true, value: arrivalList{}},
	{Name: "fault", Text: "something done to a client, like " + fault.Form(), Hint: "FAULT", Many: true,
		value: faultList{}},
}

// Parameters are all that a run can be told, in the order in which a scenario is written.
func Parameters() []Parameter { return slices.Clone(parameters) }

// parameter finds one by its name.
func parameter(name string) (Parameter, bool) {
	i := slices.IndexFunc(parameters, func(p Parameter) bool { return p.Name == name })
	if i < 0 {
		return Parameter{}, false
	}
	return parameters[i], true
}

// Default is what the parameter is if nobody says, as it is written.
func (p Parameter) Default() string {
	var s Scenario
	p.fill(&s)
	return strings.Join(p.write(s), " ")
}

// Usual is what the parameter is in the runs of a recipe if nobody says, as it is written. Where no default holds for
// all recipes, the value may know.
func (p Parameter) Usual(r recipes.Recipe) string {
	if v, ok := p.value.(interface{ usual(recipes.Recipe) string }); ok {
		return v.usual(r)
	}
	return p.Default()
}

// Help is a sentence on the parameter for a list of flags.
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

// fileKey is the parameter's name in a file.
func (p Parameter) fileKey() string {
	if p.Many {
		return p.Name + "s"
	}
	return strings.ReplaceAll(p.Name, "-", "_")
}

// usualHold is until all others wait again, or, if there are faults, until a second after the last of them: a settled
// run is over in moments, and a fault that comes after its end shows nothing.
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

// flight is a time of the network.
func flight(name string, field func(*Scenario) *time.Duration, usual, zero time.Duration) span {
	return span{
		field: field, usual: always(usual), raised: zero, most: MaxFlight,
		refuse: func(s Scenario, _, most time.Duration) error {
			return sentence.Error("bad.flight", sentence.Text(name), sentence.Duration(most), sentence.Duration(*field(&s)))
		},
	}
}
