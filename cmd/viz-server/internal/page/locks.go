package page

import "github.com/zkviz/zkviz/engine/sentence"

// LocksProps is the page that compares the locks of every system.
type LocksProps struct {
	Frame
	Broken BrokenTable
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
