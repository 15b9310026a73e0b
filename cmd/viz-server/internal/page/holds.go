package page

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// HoldsProps shows who held a lock, as a picture and a table.
type HoldsProps struct {
	Said          []sentence.Sentence // how many there are, and what is usual
	Width, Height string              // of the picture
	Bars          []PastBar
	Labels        []string // along the picture
	Rows          []HoldRow
	Hosts         bool // hosts can be known
	Found         int  // those that the filter leaves,
	All           int  // of these
}

// HoldRow is one client's time with the lock.
type HoldRow struct {
	LockClient
	Data         string
	Got, GotAt   string // from when on, as text and in the format of <time>
	Had          bool   // it had it before that
	Lost, LostAt string // empty while it has it
	Waited, Held sentence.Sentence
	Far          sentence.Sentence // it has it for far longer than usual
	Why          sentence.Sentence // why it lost it
	Expired      bool
	Moment       string // address of its end on a stage
}

// HoldFilter is the form's content.
type HoldFilter struct {
	Since, Who string // as given
	Endings    []HoldEnding
}

// HoldEnding is a reason to choose.
type HoldEnding struct {
	Name   string
	Said   sentence.Sentence
	Chosen bool
}

// HoldersProps is a page about who held a lock: in the last hour, or by transaction logs.
type HoldersProps struct {
	Frame
	Title        string // the key of its title, whose head is at .head
	Path         string // of the lock
	Error        sentence.Sentence
	Back         PastLink    // to the page that led here
	Action       string      // address to which the form goes,
	Hidden       []HoldParam // with these parameters
	Choose       bool        // the form asks for the path
	Filter       HoldFilter
	Holds        HoldsProps
	Kind         sentence.Sentence   // what it seems to be
	Seen         []sentence.Sentence // how complete that is
	Gone         []sentence.Sentence // what is wrong
	None         sentence.Sentence   // why there is nothing
	Looking      string              // progress in per cent; empty when done
	Zone         string
	More         []PastLink // to the same in other forms
	Page, Pages  int
	Newer, Older string // addresses of other pages, empty if there are none
}

// HoldParam is a parameter of a page.
type HoldParam struct{ Name, Value string }

// holdColumns are the table's columns, by their names below holds.column.
var holdColumns = [...]string{"when", "who", "waited", "held", "why"}

// whole words a sentence that may already be a whole one in the language files.
func (f Frame) whole(s sentence.Sentence) string {
	if text := f.lockSays(s); strings.HasSuffix(text, ".") {
		return text
	}
	return f.Sentence(s)
}

// hour returns the address of the last hour of a row's lock.
func (p LiveLocksProps) hour(r LockRow) string {
	return "/live/locks/hour?path=" + query(r.Path) + "&cluster=" + query(p.Cluster)
}
