// Package arrival describes, as text, when a client comes to what a recipe protects, how long it stays and its role.
//
// It only describes. engine/run passes arrivals to the hosts and to recipes, and engine/analysis/fork records
// observed ones.
//
// Recipes go by it in engine/recipe/params.go.
package arrival

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Arrival describes one client's visits.
type Arrival struct {
	Client  int           // from 1
	Visits  []Visit       // at least one, in order of time
	Role    string        // in the recipe; empty for the recipe's own choice
	Timeout time.Duration // requested session timeout; 0 for the run's default
}

// Visit is one visit of a client.
type Visit struct {
	At  time.Duration // since the run's start; later if the previous visit isn't over
	For time.Duration // how long it holds or works on what it gets; 0 for the run's default
}

// MaxVisits limits a client's visits, MaxAt the time of each, MaxFor its length, and MaxTimeout the session timeout.
const (
	MaxVisits  = 1000
	MaxAt      = 24 * time.Hour
	MaxFor     = time.Hour
	MaxTimeout = time.Hour
)

const (
	clientWord  = "client-"
	atWord      = "at"
	forWord     = "for"
	roleWord    = "as"
	timeoutWord = "timeout"
)

// String returns a as text that Parse reads back.
func (a Arrival) String() string {
	words := []string{clientWord + strconv.Itoa(a.Client)}
	for _, v := range a.Visits {
		words = append(words, atWord, v.At.String())
		if v.For > 0 {
			words = append(words, forWord, v.For.String())
		}
	}
	if a.Role != "" {
		words = append(words, roleWord, a.Role)
	}
	if a.Timeout > 0 {
		words = append(words, timeoutWord, a.Timeout.String())
	}
	return strings.Join(words, " ")
}

// Parse reads a written arrival: client-N at DURATION [for DURATION] [at DURATION …] [as ROLE] [timeout DURATION]. It
// doesn't check whether the arrival is possible: see Validate.
func Parse(text string) (Arrival, error) {
	words := strings.Fields(text)
	a, err := parse(words)
	if err != nil {
		return Arrival{}, sentence.Error("bad.arrival", sentence.Quote(text), sentence.Cause(err))
	}
	return a, nil
}

func parse(words []string) (a Arrival, err error) {
	if len(words) < 3 || len(words)%2 == 0 {
		return a, sentence.Error("bad.fault.words")
	}
	n, ok := strings.CutPrefix(words[0], clientWord)
	if a.Client, err = strconv.Atoi(n); !ok || err != nil || a.Client < 1 {
		return a, sentence.Error("bad.arrival.client", sentence.Quote(words[0]))
	}
	for i := 1; i < len(words); i += 2 {
		if err := a.set(words[i], words[i+1]); err != nil {
			return a, err
		}
	}
	return a, nil
}

// set reads a word and its value.
func (a *Arrival) set(what, text string) error {
	if what == roleWord && a.Role == "" {
		a.Role = text
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return sentence.Error("bad.arrival.time", sentence.Text(what), sentence.Quote(text))
	}
	last := len(a.Visits) - 1
	switch {
	case what == atWord:
		a.Visits = append(a.Visits, Visit{At: d})
	case what == forWord && last >= 0 && a.Visits[last].For == 0 && d > 0:
		a.Visits[last].For = d
	case what == timeoutWord && a.Timeout == 0 && d > 0:
		a.Timeout = d
	default:
		return sentence.Error("bad.arrival.word", sentence.Quote(what+" "+text))
	}
	return nil
}

// Validate returns an error if a is impossible in a run with this many clients and these roles.
func (a Arrival) Validate(clients int, roles []string) error {
	it := sentence.Quote(a.String())
	byTime := func(v, w Visit) int { return int(v.At - w.At) }
	switch {
	case a.Client < 1 || a.Client > clients:
		return sentence.Error("bad.fault.among", it, sentence.Number(a.Client), sentence.Number(clients))
	case len(a.Visits) == 0 || len(a.Visits) > MaxVisits:
		return sentence.Error("bad.arrival.visits", sentence.Number(a.Client), sentence.Number(MaxVisits),
			sentence.Number(len(a.Visits)))
	case !slices.IsSortedFunc(a.Visits, byTime):
		return sentence.Error("bad.arrival.order", it)
	case a.Role != "" && !slices.Contains(roles, a.Role):
		return sentence.Error("bad.arrival.role", it, sentence.Quote(a.Role), sentence.Text(strings.Join(roles, ", ")))
	case a.Timeout < 0 || a.Timeout > MaxTimeout:
		return sentence.Error("bad.arrival.timeout", it, sentence.Duration(MaxTimeout))
	}
	for _, v := range a.Visits {
		if v.At < 0 || v.At > MaxAt || v.For < 0 || v.For > MaxFor {
			return sentence.Error("bad.arrival.times", it, sentence.Duration(MaxAt), sentence.Duration(MaxFor))
		}
	}
	return nil
}
