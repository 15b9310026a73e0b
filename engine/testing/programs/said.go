// Package programs runs programs with the recipes of many libraries, and collects what they report: when their clients
// got in and left, and by which session and from which address. They are Curator's and ZooKeeper's own, kazoo's with
// some that people write by themselves (testdata), and go-zookeeper's. A program takes commands line by line.
//
// The package knows nothing of servers, and judges nothing. It is only for tests: the oracle's and those of incidents.
package programs

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
	More                 string // the text of a failure; of Opened, the address from which it is connected
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
