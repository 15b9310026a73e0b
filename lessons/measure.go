package lessons

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
)

// Measure is something counted or found in a run, written with its arguments after slashes: wakeups,
// woken-by-release/1, watched-by/4.
type Measure struct {
	Name string
	Args []string
}

// String returns the measure as written.
func (m Measure) String() string { return strings.Join(append([]string{m.Name}, m.Args...), "/") }

// ParseMeasure reads a measure and checks that it exists and has its arguments.
func ParseMeasure(s string) (Measure, error) {
	parts := strings.Split(s, "/")
	m := Measure{Name: parts[0], Args: parts[1:]}
	f, ok := measures[m.Name]
	if !ok {
		return m, fmt.Errorf("unknown measure %q", m.Name)
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

// Of returns the measure's value in r: a number in digits, a client's letter, or a word.
func (m Measure) Of(r *Run) (string, error) {
	v := measures[m.Name].of(r, m.Args)
	if v == "" {
		return "", fmt.Errorf("%s: the run has no such thing", m)
	}
	return v, nil
}

// clients returns the measure's arguments that number a client, servers those that number a server.
func (m Measure) clients() []int { return m.numbers(aClient) }
func (m Measure) servers() []int { return m.numbers(aServer) }

func (m Measure) numbers(of string) []int {
	var out []int
	for i, kind := range measures[m.Name].args {
		if n, err := strconv.Atoi(m.Args[i]); kind == of && err == nil {
			out = append(out, n)
		}
	}
	return out
}

// The kinds of arguments, as named in errors.
const (
	aClient = "client's number"
	aServer = "server's number"
	aPlace  = "place, from 1"
	anyText = "text"
)

type measure struct {
	args []string
	of   func(r *Run, args []string) string // "" if there is no such thing
}

// measures holds all measures by name.
var measures = union(figures, access, telling, sessions, groups, ensemble, nodes)

func union(topics ...map[string]measure) map[string]measure {
	all := map[string]measure{}
	for _, topic := range topics {
		maps.Copy(all, topic)
	}
	return all
}

// plainly makes a measure without arguments, count one that counts.
func plainly(f func(r *Run) string) measure {
	return measure{of: func(r *Run, _ []string) string { return f(r) }}
}

func count(f func(r *Run) int) measure {
	return plainly(func(r *Run) string { return strconv.Itoa(f(r)) })
}

func ofClient(f func(r *Run, client int) string) measure { return numbered(aClient, f) }

func ofPlace(f func(r *Run, n int) string) measure { return numbered(aPlace, f) }

func numbered(kind string, f func(r *Run, n int) string) measure {
	return measure{[]string{kind}, func(r *Run, args []string) string {
		n, _ := strconv.Atoi(args[0])
		return f(r, n)
	}}
}

// ofName makes a measure of the znodes whose paths end in a name.
func ofName(f func(r *Run, name string) string) measure {
	return measure{[]string{anyText}, func(r *Run, args []string) string { return f(r, args[0]) }}
}

// letter returns a client's name on the stage, empty for ZooKeeper.
func letter(a event.Actor) string {
	if a < 1 {
		return ""
	}
	return a.Letter()
}

// client returns the name of the client that the event at a place is about.
func (x *index) client(i int) string { return letter(about(x.at(i))) }

const (
	yes = "yes"
	no  = "no"
)

// yesNo returns the answer of a measure that asks whether something is so. It needs the events at these places.
func yesNo(so bool, needs ...int) string {
	switch {
	case slices.Contains(needs, nowhere):
		return ""
	case so:
		return yes
	}
	return no
}
