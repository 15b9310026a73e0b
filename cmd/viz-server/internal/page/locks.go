package page

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// LocksProps is the page that compares the locks on all systems.
type LocksProps struct {
	Frame
	Contest Contest
	Broken  BrokenTable
}

// Contest is the same run with each lock, and its costs.
type Contest struct {
	Clients, Rounds, Hold, Seed string // as given in the form

	Latency     string // latency of a message on the simulator
	Real        string // the available real systems, empty if none
	Live        bool   // also run on real systems
	Missing     int    // runs still being measured on the simulator
	LiveMissing int    // runs that weren't measured on real systems
	Figures     []string
	Rows        []ContestRow
	Charts      []Bars
	Error       sentence.Sentence
}

// Contender is a lock of the contest: how refused clients poll, if specified, and where it ran.
type Contender struct {
	Recipe, Poll, Host string
	Database           string // the kind of database for its tables, if specified
	Real               bool   // it ran on a real system
}

// ContestRow is the cost of one run as text. Link leads to the run in the Lab, from the server's root.
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

// tried describes how refused clients poll, on which database, and whether the run was real; empty if there is nothing
// to say.
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

// contender names the lock in one line.
func (f Frame) contender(c Contender) string {
	if tried := f.tried(c); tried != "" {
		return f.Say("contest.contender", c.Recipe, tried)
	}
	return c.Recipe
}

// BrokenTable shows which fault breaks which promise of which lock.
type BrokenTable struct {
	Faults []string // the columns' faults, empty for no fault
	Seeds  string   // how many were tried for a kept promise
	Rules  []BrokenRule
	Groups []BrokenGroup
}

// BrokenRule is a promise and the letter that stands for it.
type BrokenRule struct {
	Letter, Name string
	Title        sentence.Sentence
}

// BrokenGroup is the table's part for recipes or for pitfalls. Title is the key of its words.
type BrokenGroup struct {
	Title string
	Rows  []BrokenRow
}

// BrokenRow is a lock, the letters of its rules, and a cell for each fault.
type BrokenRow struct {
	Recipe, Held string
	Cells        []BrokenCell
}

// BrokenCell shows the effect of a fault on a lock: links to runs that break promises, or a mark if there are none.
type BrokenCell struct {
	Fault  string
	Mark   string
	Broken []BrokenLink
}

// BrokenLink leads to a run that breaks a promise.
type BrokenLink struct {
	BrokenRule
	Link string // from the server's root
}

// fault returns a column's heading.
func (f Frame) fault(word string) string {
	if word == "" {
		return f.Say("locks.broken.none")
	}
	return word
}

// columns returns the number of the table's columns.
func (t BrokenTable) columns() int { return len(t.Faults) + 2 }

// breaks says which fault breaks which promise of which recipe, for readers who can't see the table's layout.
func (f Frame) breaks(recipe string, c BrokenCell, l BrokenLink) string {
	return f.Say("locks.broken.link", l.Letter, recipe, f.fault(c.Fault), f.says(l.Title))
}
