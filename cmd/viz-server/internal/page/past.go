package page

import "github.com/zkviz/zkviz/engine/event/sentence"

// PastProps is what files tell of what servers have been through: how much happened when, and what.
type PastProps struct {
	Frame
	Path, Session     string // what is asked for, as given
	Kinds             []PastKind
	From, Until       string // likewise, or all there is
	FromMS, UntilMS   string // the same, in ms since 1970
	Hands             bool   // only when it changed hands
	Zone              string // of all times
	Error             sentence.Sentence
	Reading           string // how much of the files has been read, in per cent; empty for all
	Counting, Looking string // likewise of what there is to count, and to look through
	Said              []sentence.Sentence
	Trouble           []string // what the files don't tell, in words
	Columns           []PastColumn
	Labels            []string // along the time line
	Lanes             []PastLane
	Most              string // transactions in the tallest column
	Moves             []PastLink
	Rows              []PastRow
	None              bool   // nothing was found
	Next              string // the address of the next rows, empty if there are none
	Found             sentence.Sentence
}

// PastKind is a kind of what happens: how often it did, and whether it's asked for.
type PastKind struct {
	Name, Class, Count string
	Chosen             bool
}

// PastLink leads elsewhere. Key is that of its words.
type PastLink struct{ Key, Address string }

// PastColumn is a while of the time line.
type PastColumn struct {
	Address, Title string
	X, Width       string
	Bars           []PastBar
}

// PastBar is a part of a column, or of a lane.
type PastBar struct{ Class, X, Y, Width, Height, Title string }

// PastLane is what a server has.
type PastLane struct {
	Name  string
	Bars  []PastBar
	Facts []sentence.Sentence
}

// PastRow is something that happened.
type PastRow struct {
	Time, Zxid, Session string
	Address             string // of the moment
	SessionAddress      string // of what else the session did
	What                sentence.Sentence
	Data                string // the start of what was written
}

// MomentProps is a while of the past on the stage.
type MomentProps struct {
	Frame
	Path, When  string
	Since, Till string // the while
	Stage       string // the rest of the stage's address
	Back        string // the time line's address
	Moves       []PastLink
	Error       sentence.Sentence
}
