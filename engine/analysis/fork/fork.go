// Package fork turns what was seen of somebody's lock, election, read-write lock, semaphore or queue into a
// scenario of a recipe of the same kind: the same clients come at the same times, hold as long as they held, and
// what went wrong goes wrong again. It says what it can't carry over.
//
// It is pure, works on events alone, from any observer, and runs nothing: its texts are in the form that engine/run
// reads. Rooms of runs and the command line call it.
//
// Which recipe stands for znodes is Use of a recipe, and recipes.Standing.
package fork

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event/arrival"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// DefaultWindow is how much of a log is forked by default, MaxWindow the most, and MaxClients the most clients.
const (
	DefaultWindow = 10 * time.Minute
	MaxWindow     = time.Hour
	MaxClients    = 1000
	// MaxVisits bounds all their visits, and MaxFaults their faults.
	MaxVisits = 10_000
	MaxFaults = 64
)

// Latency is how long a message takes in a fork, one way, and Jitter how far it deviates. A hold that was seen from
// outside includes some latency.
const (
	Latency = 500 * time.Microsecond
	Jitter  = 10 * time.Microsecond
)

// Config says which part of a log is forked.
type Config struct {
	Path    string        // one znode, or the parent of several; empty for where there are most
	At      time.Duration // the moment in question: the middle of a window shorter than the log
	Window  time.Duration // 0 for DefaultWindow
	Clients int           // the most; 0 for MaxClients
}

// Fork is a scenario of what was seen.
type Fork struct {
	Seen
	Path     string
	From, To time.Duration
	Clients  int
	Hold     time.Duration // of those whose hold isn't known
	Timeout  time.Duration // of most sessions
	Servers  int           // of an ensemble, or 1
	Arrivals []arrival.Arrival
	Faults   []fault.Fault
	// Said lists what to know about it: the use of the znodes, and what differs.
	Said   []sentence.Sentence
	padded int // clients that nobody saw
}

// ErrNoLine reports that nothing can be forked at a path.
var ErrNoLine = sentence.Error("fork.none")

// ErrNobody reports that no client arrives in the window.
var ErrNobody = sentence.Error("fork.nobody")

// shortest is the shortest window to try before leaving out clients.
const shortest = time.Second

// Fork makes the scenario. It shortens a window that holds too much.
func (f *Facts) Fork(c Config) (Fork, error) {
	return f.Fitting(c, func(*Fork) bool { return true })
}

// Fitting makes a scenario that must fit somewhere: it shortens the window until it does, and then leaves out
// clients. Its errors are ErrNoLine, ErrNobody, and that nothing fits.
func (f *Facts) Fitting(c Config, fits func(*Fork) bool) (Fork, error) {
	l, ok := f.findLine(c.Path)
	if !ok {
		return Fork{}, ErrNoLine
	}
	window := c.Window
	if window <= 0 {
		window = DefaultWindow
	}
	clients := MaxClients
	if c.Clients > 0 {
		clients = min(c.Clients, MaxClients)
	}
	for window = min(window, MaxWindow); ; window /= 2 {
		m := f.make(l, c.At, window, clients)
		switch out, small := m.fork(), window < shortest; {
		case len(out.Arrivals) == 0 && m.cut == 0:
			return Fork{}, ErrNobody
		case (m.cut == 0 || small) && m.visits <= MaxVisits && len(out.Faults) <= MaxFaults && fits(&out):
			return out, nil
		case small && clients == 1:
			return Fork{}, errors.New("it doesn't fit") // a limit of the caller's that nothing meets
		case small:
			clients /= 2
		}
	}
}

// Parameter is a parameter of a scenario as text, under engine/run's name for it.
type Parameter struct {
	Name  string
	Texts []string // one, unless there may be Many
	Many  bool
}

// Parameters returns the scenario's parameters; the caller chooses the recipe.
func (f *Fork) Parameters() []Parameter {
	one := func(name, text string) Parameter { return Parameter{name, []string{text}, false} }
	arrivals, faults := Parameter{"arrival", nil, true}, Parameter{"fault", nil, true}
	for _, a := range f.Arrivals {
		arrivals.Texts = append(arrivals.Texts, a.String())
	}
	for _, x := range f.Faults {
		faults.Texts = append(faults.Texts, x.String())
	}
	return []Parameter{one("clients", strconv.Itoa(f.Clients)), one("hold", f.Hold.String()),
		one("session-timeout", f.Timeout.String()), one("latency", Latency.String()), one("jitter", Jitter.String()),
		one("stagger", "0s"), one("servers", strconv.Itoa(f.Servers)), arrivals, faults}
}

// Query returns the scenario for a recipe as the query of an address; without a recipe if that is empty.
func (f *Fork) Query(recipe string) string {
	var parts []string
	if recipe != "" {
		parts = append(parts, "recipe="+url.QueryEscape(recipe))
	}
	for _, p := range f.Parameters() {
		for _, text := range p.Texts {
			parts = append(parts, p.Name+"="+url.QueryEscape(text))
		}
	}
	return strings.Join(parts, "&")
}
