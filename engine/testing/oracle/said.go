// Package oracle compares what zkviz says about a lock with what the programs say that hold it and wait for it.
//
// Programs with recipes of several libraries (testdata) report when they got in and left, while zkviz looks in each
// of its ways. The package knows nothing of names or recipes: Judge finds where the two can't both be right. It is
// only for tests, which start the programs and the servers; make oracle plays them for an hour.
package oracle

import (
	"strconv"
	"strings"
)

// Line is a program's report about one of its clients.
type Line struct {
	MS                   int64 // since 1970
	Recipe, Path, Client string
	Session              int64
	Event                Event
	More                 string // the text of a failure
}

// Event is what has happened to a client.
type Event string

// The events. Between Got and Leaves a client believes that it's inside.
const (
	Waits  Event = "WAITS"  // it begins to ask
	Got    Event = "GOT"    // it has learned that it's inside
	Leaves Event = "LEAVES" // it begins to leave
	Left   Event = "LEFT"
	Lost   Event = "LOST"   // it has learned that it isn't inside any more
	GaveUp Event = "GAVEUP" // it has waited as long as it wanted
	Failed Event = "FAILED" // its library reports an error
	Closed Event = "CLOSED" // its session has ended
	Opened Event = "OPENED" // it has a session, perhaps another than before
)

// Parse reads a line. It returns false for a program's other output.
func Parse(text string) (l Line, ok bool) {
	f := strings.SplitN(text, " ", 7)
	if len(f) < 6 {
		return l, false
	}
	ms, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return l, false
	}
	session, err := strconv.ParseUint(strings.TrimPrefix(f[4], "0x"), 16, 64)
	if err != nil {
		return l, false
	}
	l = Line{MS: ms, Recipe: f[1], Path: f[2], Client: f[3], Session: int64(session), Event: Event(f[5])}
	if len(f) > 6 {
		l.More = f[6]
	}
	return l, true
}
