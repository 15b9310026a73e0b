// Package oracle compares what zkviz says of who holds a lock with what the programs say that hold it and wait for it.
//
// Programs with the recipes of several libraries (testdata) say when they got in and left. Beside them zkviz looks in
// each of its ways. The package knows nothing of names or recipes: Judge finds where the two can't both be right. It is
// for tests, which start the programs and the servers; make oracle plays them for an hour.
package oracle

import (
	"strconv"
	"strings"
)

// Line is what a program says of one of its clients.
type Line struct {
	MS                   int64 // since 1970
	Recipe, Path, Client string
	Session              int64
	Event                Event
	More                 string // of a failure
}

// Event is what has become of a client.
type Event string

// The events. Between Got and Leaves a client believes that it's inside.
const (
	Waits  Event = "WAITS"  // it begins to ask
	Got    Event = "GOT"    // it's been told that it's inside
	Leaves Event = "LEAVES" // it begins to leave
	Left   Event = "LEFT"
	Lost   Event = "LOST"   // it's been told that it isn't inside any more
	GaveUp Event = "GAVEUP" // it has waited as long as it wanted to
	Failed Event = "FAILED" // its library says so
	Closed Event = "CLOSED" // its session is
	Opened Event = "OPENED" // it has a session, perhaps another than before
)

// Parse reads a line. What a program says besides is none.
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
