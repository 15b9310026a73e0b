package compare

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run"
)

// MeasureMoments is like Measure, and also tells the run moment by moment: see moments.
func MeasureMoments(ctx context.Context, host event.Host, runner run.Runner, s run.Scenario) (Row, error) {
	s = s.WithDefaults()
	m := newMeter(s.Header(host))
	told := &moments{woken: m.Woken, clients: map[event.Actor]*teller{}}
	row, err := m.measure(ctx, runner, s, told)
	if err == nil {
		row.Moments = told.all()
	}
	return row, err
}

// moments is a Sink that tells a run for a picture with a dot for each client. A moment begins when a client comes or
// goes, and has all that follows until the next:
//
//	+3 1-2      client 3 comes; 1 and 2 are woken
//	-1 *2 2-99  client 1 goes; 2 to 99 are woken, and 2 gets in because of that
//	+1 >1       client 1 comes, and gets in without having been woken
//
// A client that is woken twice meanwhile is named twice. Before it gets an event, the run's Tally must have got it,
// which judges what is a wakeup.
type moments struct {
	woken   func() int // wakeups so far
	before  int        // of these, those of earlier events
	clients map[event.Actor]*teller

	now    string        // how this moment begins, empty before the first
	roused []event.Actor // who is woken in it
	told   []string
	bytes  int
}

// teller is what moments knows of a client.
type teller struct {
	phase program.Phase
	woken bool // and it isn't known yet for what
}

// maxTold limits the text of a run's moments, in bytes. A run that takes more isn't told at all.
const maxTold = 1 << 20

// Append adds the next event.
func (m *moments) Append(e event.Event) {
	if woken := m.woken(); woken != m.before {
		if woken > m.before {
			m.roused = append(m.roused, e.Actor)
			m.client(e.Actor).woken = true
		}
		m.before = woken
	}
	switch e.Kind {
	case event.ClientBlocked:
		m.client(e.Actor).woken = false
	case event.RecipePhase:
		m.report(m.client(e.Actor), e.Actor, program.Phase(e.Text))
	}
}

func (m *moments) client(who event.Actor) *teller {
	c := m.clients[who]
	if c == nil {
		c = &teller{}
		m.clients[who] = c
	}
	return c
}

// report takes what a client says about itself.
func (m *moments) report(c *teller, who event.Actor, is program.Phase) {
	was, name := c.phase, strconv.Itoa(int(who))
	c.phase = is
	there := func(p program.Phase) bool { return p == program.Waiting || p.Inside() }
	switch {
	case there(is) && !there(was):
		m.begin("+" + name)
	case there(was) && !there(is):
		m.begin("-" + name)
	}
	switch {
	case !is.Inside() || was.Inside():
	case c.woken:
		m.now += " *" + name
		c.woken = false
	default:
		m.now += " >" + name
	}
}

// begin ends the moment, and begins another.
func (m *moments) begin(how string) {
	if m.now != "" {
		text := m.now + ranges(m.roused)
		if m.bytes += len(text); m.bytes <= maxTold {
			m.told = append(m.told, text)
		}
	}
	m.now, m.roused = how, m.roused[:0]
}

// all returns the moments at the end, nil if they take too much.
func (m *moments) all() []string {
	m.begin("")
	if m.bytes > maxTold {
		return nil
	}
	return m.told
}

// ranges writes numbers, a space before each range.
func ranges(all []event.Actor) string {
	var b strings.Builder
	for rest := slices.Sorted(slices.Values(all)); len(rest) > 0; {
		var twice []event.Actor
		for i := 0; i < len(rest); {
			from, to := rest[i], rest[i]
			for i++; i < len(rest) && rest[i] <= to+1; i++ {
				if rest[i] == to {
					twice = append(twice, to)
				}
				to = rest[i]
			}
			b.WriteString(" " + strconv.Itoa(int(from)))
			if to > from {
				b.WriteString("-" + strconv.Itoa(int(to)))
			}
		}
		rest = twice
	}
	return b.String()
}
