// Package bridge connects the player to the browser: the WebSocket to the server, the engine in a worker, the commands
// of the page around the stage, the marks and events for that page, and the pointer.
//
// It doesn't decide what is shown. It puts whatever arrives into an inbox, which the game's Update empties.
// wasm/main.go is its only caller.
//
// # Where to change what
//
//   - what can be done to something on the stage: menu.go; static/menu.js shows it
//   - what passes between page and server: source.go takes it, socket.go carries it; feed.go: how a run goes on over
//     another connection
//   - the program in the page's worker: engine.go; when it takes the place of a server or of files: alone.go
//   - the files of a site: reel.go
//   - a trace file that the reader opens: open.go; a fork: fork.go; the second run: comparison.go; a moment on the
//     wall: moment.go; links: link.go and share.go; where another page is: follow.go
package bridge

import (
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/stage/panes"
)

// FaultOn returns the client that a fault of the page targets.
func FaultOn(text string) (event.Actor, bool) {
	words := strings.Fields(text)
	if len(words) < 2 {
		return 0, false
	}
	return panes.ParseClient(words[1])
}

// FaultAt adds the time to a fault of the page ("pause client-1 for 15s") for the server: the first whole millisecond
// not before at. A fault that has a time stays unchanged.
func FaultAt(text string, at time.Duration) string { return fault.WithTime(text, millisecond(at)) }

// Pointless says why a fault of the page would have no effect on a client in that state, or returns "".
func Pointless(s *view.State, text string, at time.Duration, say panes.Say) string {
	who, ok := FaultOn(text)
	c := s.Clients.Get(who)
	if !ok || c == nil {
		return ""
	}
	if c.Exited || c.Crashed {
		return say("fault.ended."+string(s.Header.Host), who.Letter(), tenths(at))
	}
	f, err := fault.Parse(FaultAt(text, at))
	if err != nil {
		return ""
	}
	anyway := func(key string, until time.Duration) string {
		if until < f.At+f.For {
			return ""
		}
		return say("fault."+key+".anyway", who.Letter(), tenths(until))
	}
	switch {
	case f.Kind == fault.Cut:
		return anyway("cut", c.CutUntil)
	case f.Kind == fault.Delay:
		return anyway("delay", c.SlowUntil)
	case f.Kind == fault.Pause && c.Paused, f.Kind == fault.Stall && c.Stalled:
		return anyway("pause", c.PausedAt+c.PausedFor)
	case f.Kind == fault.Expire && (c.Session == 0 || c.Ended != view.Alive):
		return say("fault.expire.none", who.Letter())
	}
	return ""
}

func tenths(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) }

// millisecond rounds up to whole milliseconds.
func millisecond(at time.Duration) time.Duration {
	return (at + time.Millisecond - 1).Truncate(time.Millisecond)
}
