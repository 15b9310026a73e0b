package page

import "github.com/zkviz/zkviz/engine/event/sentence"

// TapProps shows what passes through a tap: by path or by client, recently or since its start.
type TapProps struct {
	Frame
	Path    string
	Listens string              // the address for clients
	Servers string              // those behind it
	Since   string              // in the format of <time>
	Open    int                 // connections
	Seen    int                 // sessions
	Trouble []sentence.Sentence // what the figures lack
	Recent  TapCells
	All     TapCells
	Span    int // seconds that Recent covers
	Codes   []TapCode
	Herds   []TapHerd

	Client  bool // the rows are clients
	InAll   bool // their figures are those since the start
	Text    string
	Sort    string
	Every   bool // the page loads itself again
	Rows    []TapRow
	Others  *TapRow // what has no row; nil if there's nothing
	Found   int
	Of      int
	Page    int
	Pages   int
	Address func(change ...string) string // this page's address with changed parameters: name and value in turn
}

// TapCells are the figures of a row as text, by tapColumns.
type TapCells struct {
	Text [10]string
	// Half and Most are the widths of the bars of the latencies, and Woken that of the wakeups, in per cent.
	Half, Most, Woken string
}

// TapRow is a path or a client.
type TapRow struct {
	Name    string
	Key     string // of the words that stand for the name, if it has none
	Picture string // address of the picture; empty if there's none
	Notes   []sentence.Sentence
	Failed  []TapCode
	TapCells
}

// TapCode counts the answers with one error.
type TapCode struct {
	Code      string // its key in the words
	N, Recent string
	Width     string // of its bar, in per cent
}

// TapHerd is a change that woke several clients.
type TapHerd struct {
	At, Path, Picture string
	Says              sentence.Sentence
	Width             string
}

// tapColumns are the columns of figures, by their names below tap.column.
var tapColumns = [10]string{"rate", "requests", "reads", "writes", "failed", "half", "most", "longest", "watches",
	"woken"}

// TapSorts are the columns by which rows can be sorted, most first.
var TapSorts = map[string]bool{"requests": true, "writes": true, "failed": true, "half": true, "most": true,
	"longest": true, "watches": true, "woken": true, "name": true}

// name returns the row's name, escaped because a client can choose it.
func (r TapRow) name(f Frame) string {
	if r.Key != "" {
		return f.Say(r.Key)
	}
	return shownPath(r.Name)
}
