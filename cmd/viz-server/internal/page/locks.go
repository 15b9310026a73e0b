package page

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// LocksProps is the page that compares the locks of every system.
type LocksProps struct {
	Frame
	Contest Contest
	Broken  BrokenTable
}

// Contest is the same run of each lock, and what it costs.
type Contest struct {
	Clients, Rounds, Hold, Seed string // as given

	Latency     string // of a message on the simulator
	Real        string // the real systems that there are, empty for none
	Live        bool   // on these, too
	Missing     int    // how many runs are still being measured on the simulator
	LiveMissing int    // how many were not measured on real systems
	Figures     []string
	Rows        []ContestRow
	Charts      []Bars
	Error       sentence.Sentence
}

// Contender is a lock of the contest: how those who are refused try again, if somebody said, and where it ran.
type Contender struct {
	Recipe, Poll, Host string
	Database           string // the kind of the system that has its tables, if somebody said
	Real               bool   // not on the simulator
}

// ContestRow is what one run cost, ready to be read. The Lab shows the run at Link, from the server's root on.
type ContestRow struct {
	Contender
	Figures []string
	Link    string
}

// Bars is a chart with a bar for each run. Title is the key of its words.
type Bars struct {
	Title, ViewBox string
	Bars           []Bar
}

// Bar is a run in a chart, in the units of its ViewBox.
type Bar struct {
	Contender
	Value                                   string
	Y, Width, Height, NameY, ValueX, ValueY string
}

// tried says how those who are refused try again, on which database, and whether the run was a real one; it is empty if
// there is nothing to say.
func (f Frame) tried(c Contender) string {
	var all []string
	if c.Poll != "" {
		all = append(all, f.Say("contest.tries", c.Poll))
	}
	if c.Database != "" {
		all = append(all, f.Say("system."+c.Database))
	}
	if c.Real {
		all = append(all, f.Say("compare.on."+c.Host))
	}
	return strings.Join(all, ", ")
}

// contender is the lock in one line.
func (f Frame) contender(c Contender) string {
	if tried := f.tried(c); tried != "" {
		return f.Say("contest.contender", c.Recipe, tried)
	}
	return c.Recipe
}

// BrokenTable says which fault breaks which promise of which lock.
type BrokenTable struct {
	Faults []string // the columns' words, an empty one for no fault
	Seeds  string   // tried of what is kept
	Rules  []BrokenRule
	Groups []BrokenGroup
}

// BrokenRule is a promise and the letter that stands for it.
type BrokenRule struct {
	Letter, Name string
	Title        sentence.Sentence
}

// BrokenGroup is the part of the table for recipes, or for pitfalls. Title is the key of its words.
type BrokenGroup struct {
	Title string
	Rows  []BrokenRow
}

// BrokenRow is a lock, the letters of what it is held to, and a cell for each fault.
type BrokenRow struct {
	Recipe, Held string
	Cells        []BrokenCell
}

// BrokenCell is what a fault does to a lock: runs that break its promises, or a mark if there is none.
type BrokenCell struct {
	Fault  string
	Mark   string
	Broken []BrokenLink
}

// BrokenLink leads to the run that breaks a promise.
type BrokenLink struct {
	BrokenRule
	Link string // from the server's root on
}

// fault is a column's word, or that there is none.
func (f Frame) fault(word string) string {
	if word == "" {
		return f.Say("locks.broken.none")
	}
	return word
}

// columns is how many the table has.
func (t BrokenTable) columns() int { return len(t.Faults) + 2 }

// breaks says which fault breaks which promise of which recipe, for those who do not see where in the table it stands.
func (f Frame) breaks(recipe string, c BrokenCell, l BrokenLink) string {
	return f.Say("locks.broken.link", l.Letter, recipe, f.fault(c.Fault), f.says(l.Title))
}
