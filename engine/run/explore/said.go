package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
)

// mostAround bounds the clients of an exploration around a scenario. What breaks with more breaks with few.
const mostAround = 12

// Around returns the exploration around a scenario of a recipe: on as many servers, with up to as many clients. With
// ownFaults only faults of the scenario's kinds may happen. Around refuses a recipe that promises nothing.
func Around(r recipe.Recipe, s run.Scenario, ownFaults bool) (Config, error) {
	c := Config{Recipe: r, Clients: min(s.Clients, mostAround), Servers: s.Servers, Observers: s.Observers,
		Flaws: s.Flaws, Database: s.Database}
	if ownFaults {
		c.Faults = slices.DeleteFunc(Kinds(r, s.Servers), func(k fault.Kind) bool {
			return !slices.ContainsFunc(s.Faults, func(f fault.Fault) bool { return f.Kind == k })
		})
	}
	if c = c.withDefaults(); len(c.Rules)+len(c.Limits) == 0 {
		return Config{}, sentence.Error("refused.nothing-judged", sentence.Text(r.Name))
	}
	return c, nil
}

// Key names what is explored: explorations with the same key have the same result.
func (c Config) Key() string {
	c = c.withDefaults()
	return fmt.Sprintf("%q %q %d %d %d", []string{c.Recipe.Name, string(c.Database)}, slices.Concat(c.Rules, c.Limits),
		[]int{c.Seeds, c.Clients, c.Servers, c.Observers}, c.Flaws, c.Faults)
}

// Said says in how many schedules everything held, or which one broke a promise, and how.
func (r Result) Said() sentence.Sentence {
	tried := sentence.Text(sentence.Grouped(r.Seeds))
	switch {
	case r.Found != nil:
		return sentence.Of("explored.broke", tried, sentence.Sentences(r.Found.Violation.Sentence))
	case r.Cut():
		return sentence.Of("explored.cut", tried, sentence.Text(sentence.Grouped(r.Of)))
	}
	return sentence.Of("explored.held", tried)
}

// About says more about a result: which promise broke, and the run that shows it, or what was tried.
func (c Config) About(r Result) []sentence.Sentence {
	if f := r.Found; f != nil {
		s := f.Scenario
		return []sentence.Sentence{
			sentence.Of("explored.promise", sentence.Sentences(promise.Sentence(f.Violation.Rule))),
			sentence.Of("explored.run", sentence.Text(fmt.Sprint(s.Seed)), sentence.Number(s.Clients),
				sentence.Number(s.Rounds), sentence.Sentences(faultsOf(s))),
		}
	}
	most := c.most()
	said := []sentence.Sentence{sentence.Of("explored.tried", sentence.Number(most.clients),
		sentence.Number(most.rounds), sentence.Sentences(c.kinds()))}
	if event.HasZooKeeper(c.Recipe.Systems) {
		said = append(said, sentence.Of("explored.servers", sentence.Number(c.Servers+c.Observers)))
	}
	said = append(said, sentence.Of("explored.judged", sentence.Sentences(titles(c.Rules)...)))
	if len(c.Limits) > 0 {
		said = append(said, sentence.Of("explored.limits", sentence.Sentences(titles(c.Limits)...)))
	}
	return said
}

// titles returns those of the rules. The many that are the servers' own have one together.
func titles(rules []string) []sentence.Sentence {
	isOwn := func(rule string) bool { return slices.Contains(promise.Invariants(), rule) }
	all := promise.Titles(slices.DeleteFunc(slices.Clone(rules), isOwn))
	if n := len(rules) - len(all); n > 0 {
		all = append(all, sentence.Of("explored.invariants", sentence.Number(n)))
	}
	return all
}

// faultsOf says which faults happen in a scenario.
func faultsOf(s run.Scenario) sentence.Sentence {
	if len(s.Faults) == 0 {
		return sentence.Of("explored.faults.none")
	}
	var all []string
	for _, f := range s.Faults {
		all = append(all, f.String())
	}
	return sentence.Of("explored.faults", sentence.Text(strings.Join(all, "; ")))
}

// kinds says which faults may happen in the schedules.
func (c Config) kinds() sentence.Sentence {
	if len(c.Faults) == 0 {
		return sentence.Of("explored.faults.none")
	}
	var words []string
	for _, k := range c.Faults {
		if !slices.Contains(words, k.String()) { // one word may name kinds for several targets
			words = append(words, k.String())
		}
	}
	return sentence.Of("explored.kinds", sentence.Text(strings.Join(words, ", ")))
}
