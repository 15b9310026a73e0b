// Package bridge joins the player to the browser: the WebSocket to the server, the commands of the page round
// the stage, the marks and events for that page, and the pointer.
//
// It decides nothing about what is shown. What arrives is put into an inbox, which the game's Update empties.
// wasm/main.go is its only caller.
package bridge

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/wasm/panes"
)

// FaultOn is the client that a fault of the page is for.
func FaultOn(text string) (event.Actor, bool) {
	words := strings.Fields(text)
	if len(words) < 2 {
		return 0, false
	}
	return panes.ParseClient(words[1])
}

// FaultAt writes a fault of the page ("pause client-1 for 15s") for the server, which wants to know when:
// at the first whole millisecond that is not before at. One that says so already stays as it is.
func FaultAt(text string, at time.Duration) string { return fault.WithTime(text, millisecond(at)) }

// millisecond is the first whole one that is not before at.
func millisecond(at time.Duration) time.Duration {
	return (at + time.Millisecond - 1).Truncate(time.Millisecond)
}
