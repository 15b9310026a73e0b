package page

import "github.com/zkviz/zkviz/engine/event/sentence"

// PastProps shows the history of servers from their transaction logs: how much happened when, and the transactions.
type PastProps struct {
	Frame
	Path, Session     string // the filter, as given
	Kinds             []PastKind
	From, Until       string // also as given, or the whole span
	FromMS, UntilMS   string // the same, in ms since 1970
	Hands             bool   // show only handovers
	Holders           string // address of the same as a table, empty if there is none
	Zone              string // the time zone of the page
	Error             sentence.Sentence
	Reading           string // progress in reading the files in per cent; empty when done
	Counting, Looking string // the same for counting and for searching
	Said              []sentence.Sentence
	Trouble           []string // what the files don't tell, as sentences
	Columns           []PastColumn
	Labels            []string // along the time line
	Lanes             []PastLane
	Most              string // transactions in the tallest column
	Moves             []PastLink
	Rows              []PastRow
	None              bool   // nothing was found
	Next              string // address of the next rows, empty if none
	Found             sentence.Sentence
}

// PastKind is a kind of transaction: how often it occurs, and whether the filter selects it.
type PastKind struct {
	Name, Class, Count string
	Chosen             bool
}

// PastLink leads to another page. Key is the key of its words.
type PastLink struct{ Key, Address string }

// PastColumn is an interval of the time line.
type PastColumn struct {
	Address, Title string
	X, Width       string
	Bars           []PastBar
}

// PastBar is a part of a column, or of a lane.
type PastBar struct{ Class, X, Y, Width, Height, Title string }

// PastLane shows what one server's files cover.
type PastLane struct {
	Name  string
	Bars  []PastBar
	Facts []sentence.Sentence
}

// PastRow is one transaction or handover.
type PastRow struct {
	Time, Zxid, Session string
	Address             string // of that moment
	SessionAddress      string // of the session's other actions
	What                sentence.Sentence
	Data                string // the start of the written data
}

// MomentProps shows an interval of the past on the stage.
type MomentProps struct {
	Frame
	Path, When  string
	Since, Till string // the interval
	Stage       string // the rest of the stage's address
	Back        string // address of the time line
	Moves       []PastLink
	Error       sentence.Sentence
}
