package panes

import (
	"maps"
	"sort"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
)

// Log is the log pane of one branch: which events have rows, and which rows a search finds. It follows the history as
// that grows. Its zero value is for an empty history.
type Log struct {
	rows  []event.Seq       // first event of each row, in order
	lasts map[int]event.Seq // last event, of the rows with several
	upTo  int               // number of events read
	query string
	found []int32 // indices of rows, if there is a query
	tried int     // number of rows searched
}

// span is the range of a row's events, including those between that have no row.
type span struct{ first, last event.Seq }

// follow reads the new events of the history.
func (l *Log) follow(history History) {
	for ; l.upTo < history.Len(); l.upTo++ {
		e := history.Event(l.upTo)
		if !shown(e) {
			continue
		}
		if n := len(l.rows); n > 0 && e.Kind == event.WatchFired && joins(history.Event(int(l.row(n-1).last)-1), e) {
			if l.lasts == nil {
				l.lasts = map[int]event.Seq{}
			}
			l.lasts[n-1] = e.Seq
			continue
		}
		l.rows = append(l.rows, e.Seq)
	}
}

// Fork returns the Log of a history that shares its first n events with the one that l follows.
func (l *Log) Fork(n event.Seq) *Log {
	i := sort.Search(len(l.rows), func(i int) bool { return l.rows[i] > n })
	f := &Log{upTo: min(l.upTo, int(n))}
	if i > 0 && l.row(i-1).last > n { // the row continues differently
		i--
		f.upTo = int(l.rows[i]) - 1
	}
	f.rows, f.lasts = l.rows[:i:i], maps.Clone(l.lasts)
	maps.DeleteFunc(f.lasts, func(row int, _ event.Seq) bool { return row >= i })
	return f
}

func (l *Log) row(i int) span {
	if last, several := l.lasts[i]; several {
		return span{l.rows[i], last}
	}
	return span{l.rows[i], l.rows[i]}
}

// lastShown returns the last event at or before seq that is in a row, or 0.
func (l *Log) lastShown(history History, seq event.Seq) event.Seq {
	l.follow(history)
	i := sort.Search(len(l.rows), func(i int) bool { return l.rows[i] > seq })
	if i == 0 {
		return 0
	}
	for seq = min(seq, l.row(i-1).last); !shown(history.Event(int(seq) - 1)); {
		seq--
	}
	return seq
}

// Search keeps the rows that contain the query, ignoring case. An empty query keeps all.
func (l *Log) Search(query string) {
	query = strings.ToLower(strings.TrimSpace(query))
	if query != l.query {
		l.query, l.found, l.tried = query, nil, 0
	}
}

// triedAtOnce is the number of rows searched before the page gets a turn.
const triedAtOnce = 10_000

// try searches some of the new rows.
func (l *Log) try(history History, say Say) {
	for upTo := min(l.tried+triedAtOnce, len(l.rows)); l.tried < upTo; l.tried++ {
		e := history.Event(int(l.rows[l.tried]) - 1)
		text := say.who(subject(e)).Label + " " + e.Kind.String() + " " + about(e, say) + " " + clean(e.Path)
		if strings.Contains(strings.ToLower(text), l.query) {
			l.found = append(l.found, int32(l.tried))
		}
	}
}

// Window is the part of the log in the page.
type Window struct {
	Marks         []Mark
	Now           int  // index in Marks of the last row that has begun, or -1
	Before, After int  // number of rows left out on either side
	Empty         bool // the search finds nothing
	Unfinished    bool // the search continues with the next call
}

// Mark names a row. NewRow returns its texts, which cost more and are needed only for changed rows.
type Mark struct {
	First, Last event.Seq
	Begun       bool // the playhead has reached it
}

// The window's length in rows and the step in which it moves. While the playhead moves inside it, it stays, so that
// most rows of the page don't change.
const (
	windowLen  = 100
	windowStep = 25
)

// Window returns the rows around an event.
func (l *Log) Window(history History, seq event.Seq, say Say) Window {
	l.follow(history)
	pick := l.row
	n, unfinished := len(l.rows), false
	if l.query != "" {
		l.try(history, say)
		pick = func(i int) span { return l.row(int(l.found[i])) }
		n, unfinished = len(l.found), l.tried < len(l.rows)
	}
	begun := sort.Search(n, func(i int) bool { return pick(i).first > seq })
	from := max(0, min(begun/windowStep*windowStep-windowLen/2, n-windowLen))
	to := min(n, from+windowLen)
	w := Window{Now: begun - 1 - from, Before: from, After: n - to, Unfinished: unfinished,
		Empty: n == 0 && l.query != "" && !unfinished}
	for i := from; i < to; i++ {
		w.Marks = append(w.Marks, Mark{pick(i).first, pick(i).last, i < begun})
	}
	return w
}
