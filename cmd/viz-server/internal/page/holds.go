package page

import "github.com/zkviz/zkviz/engine/event/sentence"

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

// HourProps shows how a lock was held in the last hour.
type HourProps struct {
	LiveProps
	Filter       HoldFilter
	Holds        HoldsProps
	Joined       bool
	Zone         string
	Kind         sentence.Sentence // what it seems to be
	Since        sentence.Sentence // how long that has been seen
	Gone         sentence.Sentence // why nothing can be seen now
	None         sentence.Sentence // why there is nothing
	Untold       []sentence.Sentence
	JSON         string // address of the same as JSON
	Page, Pages  int
	Newer, Older string // addresses of other pages, empty if there are none
}

// holdColumns are the table's columns, by their names below holds.column.
var holdColumns = [...]string{"when", "who", "waited", "held", "why"}

// seen says how complete it is.
func (p HourProps) seen() string {
	key := "live.locks.read"
	if p.Joined {
		key = "live.locks.joined"
	}
	text := p.Say(key, p.lockSays(p.Since))
	if !p.Joined {
		text += " " + p.Say("live.hour.read")
	}
	for _, untold := range p.Untold {
		text += " " + p.Say("live.locks.untold", shownPath(p.lockSays(untold)))
	}
	return text
}

// list returns the address of the list with the lock.
func (p HourProps) list() string {
	return "/live/locks?path=" + query(p.Path) + "&cluster=" + query(p.Cluster)
}

// hour returns the address of the last hour of a row's lock.
func (p LiveLocksProps) hour(r LockRow) string {
	return "/live/locks/hour?path=" + query(r.Path) + "&cluster=" + query(p.Cluster)
}
