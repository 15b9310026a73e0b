package lessons

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Order is lines for the reader to put back in order. Each names an event of the lesson's run, which says how they go.
type Order []Line

// Line is one of them. Nth of its event counts from the start of the run.
type Line struct {
	ID    string
	Event Condition
}

type lineFacts struct {
	ID string `json:"id"`
	conditionFacts
}

// order reads lines, few enough to keep in mind.
func order(lines []lineFacts) (o Order, err error) {
	if n := len(lines); n < 4 || n > 6 {
		return nil, fmt.Errorf("lines must be between 4 and 6, not %d", n)
	}
	for _, f := range lines {
		c, err := f.condition()
		switch {
		case !validAnchor(f.ID) || slices.ContainsFunc(o, func(l Line) bool { return l.ID == f.ID }):
			return nil, fmt.Errorf("line %q: its name is invalid or a duplicate", f.ID)
		case err != nil:
			return nil, fmt.Errorf("line %s: %w", f.ID, err)
		case c.Kind == 0 || c.Blocked+c.Inside > 0 || c.Ever:
			return nil, fmt.Errorf("line %s: name an event by its kind, without blocked, inside and ever", f.ID)
		}
		o = append(o, Line{f.ID, *c})
	}
	return o, nil
}

// Of returns the events of the lines in r. They must be in their order there, and the times that people read differ.
func (o Order) Of(r *Run) (all []event.Event, err error) {
	for i, l := range o {
		seen := 0
		at := slices.IndexFunc(r.Log.Events, func(e event.Event) bool {
			if l.Event.matches(e) {
				seen++
			}
			return seen == l.Event.Nth
		})
		if at < 0 {
			return nil, fmt.Errorf("order: line %s: the run has no such event", l.ID)
		}
		all = append(all, r.Log.Events[at])
		if i > 0 && (all[i].Seq < all[i-1].Seq || tenths(all[i].At) == tenths(all[i-1].At)) {
			return nil, fmt.Errorf("order: line %s is at %s s, and line %s at %s s: it must come later",
				l.ID, tenths(all[i].At), o[i-1].ID, tenths(all[i-1].At))
		}
	}
	return all, nil
}

func tenths(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) }

// PageOrder is an Order with its words: its lines as they are shown, and in their order.
type PageOrder struct {
	Text          string
	Lines, Answer []PageLine
}

// PageLine is a Line with its words and its event. Why says why it can't come earlier.
type PageLine struct {
	ID, Label, Why string
	Place          int // from 1
	Seq            event.Seq
	At             string // in seconds
}

func (f *filler) order(facts *Step, words *StepProse) *PageOrder {
	o := &PageOrder{Text: f.plain(words.Order)}
	events, err := facts.Order.Of(f.runs[f.slug])
	f.err = cmp.Or(f.err, err)
	for i, e := range events {
		id, says := facts.Order[i].ID, words.Lines[facts.Order[i].ID]
		o.Answer = append(o.Answer, PageLine{id, f.plain(says.Label), f.plain(says.Why), i + 1, e.Seq, tenths(e.At)})
	}
	o.Lines = slices.Clone(o.Answer)
	shuffle(f, facts.Anchor, o.Lines, func(l PageLine) string { return l.ID })
	if err == nil && slices.Equal(o.Lines, o.Answer) {
		o.Lines = append(o.Lines[1:], o.Answer[0])
	}
	return o
}
