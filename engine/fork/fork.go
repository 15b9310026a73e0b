// Package fork makes of what was seen of somebody's lock, election, read-write lock, semaphore or queue a scenario of a
// recipe of the same kind: the same clients come at the same times, hold as long as they held, and what went wrong goes
// wrong again. What can't be carried over is said.
//
// It is pure, goes by events alone, by whatever observer, and runs nothing: its texts are those that engine/run
// reads. The page's program and the command line call it.
package fork

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/arrival"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/sentence"
)

// DefaultWindow is how much of a log is forked if nobody says, MaxWindow the most, MaxClients how many clients at most.
const (
	DefaultWindow = 10 * time.Minute
	MaxWindow     = time.Hour
	MaxClients    = 1000
	// MaxVisits is how often they may come in all, and MaxFaults how much may be done to them.
	MaxVisits = 10_000
	MaxFaults = 64
)

// Latency is how long a message takes in a fork, one way, and Jitter how far it is off. A hold that was seen from
// outside has some of the first in it.
const (
	Latency = 500 * time.Microsecond
	Jitter  = 10 * time.Microsecond
)

// Config says what of a log is forked.
type Config struct {
	Path    string        // whose children, or which of them, it is about; empty for where most are
	At      time.Duration // the moment it is about: the middle of the window if that is shorter than the log
	Window  time.Duration // 0 for DefaultWindow
	Clients int           // how many at most; 0 for MaxClients
}

// Fork is a scenario of what was seen.
type Fork struct {
	Seen
	Path     string
	From, To time.Duration
	Clients  int
	Hold     time.Duration // of those of whom nobody knows
	Timeout  time.Duration // of most sessions
	Servers  int           // of an ensemble, or 1
	Arrivals []arrival.Arrival
	Faults   []fault.Fault
	// Said is what there is to know of it: what the znodes are taken for, and what isn't as it was.
	Said   []sentence.Sentence
	padded int // clients that nobody has seen
}

// ErrNoLine is that nothing can be forked at a path.
var ErrNoLine = sentence.Error("fork.none")

// ErrNobody is that nobody comes in the window.
var ErrNobody = sentence.Error("fork.nobody")

// shortest is the least window that is tried before clients are left out.
const shortest = time.Second

// Fork makes the scenario. A window of which there is too much is made shorter.
func (f *Facts) Fork(c Config) (Fork, error) {
	return f.Fitting(c, func(*Fork) bool { return true })
}

// Fitting is Fork for a scenario that has to fit somewhere: the window is made shorter until it does, and then clients
// are left out. An error is ErrNoLine, ErrNobody, or that nothing fits.
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
			return Fork{}, errors.New("it doesn't fit") // a limit of the caller's that nothing keeps
		case small:
			clients /= 2
		}
	}
}

// Parameter is one of a scenario, as it is written, by the name that engine/run has for it.
type Parameter struct {
	Name  string
	Texts []string // one, unless there may be Many
	Many  bool
}

// Parameters are those of the scenario; the recipe is for the caller to choose.
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

// Query is the scenario of a recipe as the query of an address; of no recipe if that is empty.
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
