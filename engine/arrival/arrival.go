// Package arrival is how it is written down when a client comes to what a recipe protects, how long it stays, and what
// it is.
//
// It only describes: engine/run gives it to the hosts and to recipes/kit, and engine/fork writes down what was seen.
package arrival

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/sentence"
)

// Arrival is what is known of one client.
type Arrival struct {
	Client  int           // from 1
	Visits  []Visit       // in the order of time, one at least
	Role    string        // in the recipe; empty for the one that the recipe gives it
	Timeout time.Duration // of the session, which it asks for; 0 for that of the others
}

// Visit is one time that a client comes.
type Visit struct {
	At  time.Duration // since the run's start; later if it isn't done with the visit before
	For time.Duration // how long it holds what it gets, or works on it; 0 for as long as the others
}

// MaxVisits is how often a client may come, MaxAt when at the latest, MaxFor how long it may stay, and MaxTimeout the
// longest session timeout.
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

// String writes a so that Parse reads it back.
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

// Parse reads a written arrival: client-N at DURATION [for DURATION] [at DURATION …] [as ROLE] [timeout DURATION].
// Whether it is possible is for Validate to say.
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

// set reads two words: what is said, and what it is.
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

// Validate says in a sentence what is wrong with a in a run of so many clients, who have one of the roles, or returns
// nil.
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
		return sentence.Error("bad.arrival.timeout", it, sentence.Span(MaxTimeout))
	}
	for _, v := range a.Visits {
		if v.At < 0 || v.At > MaxAt || v.For < 0 || v.For > MaxFor {
			return sentence.Error("bad.arrival.times", it, sentence.Span(MaxAt), sentence.Span(MaxFor))
		}
	}
	return nil
}
