// Package bridge joins the player to the browser: the WebSocket to the server, the commands of the page round
// the stage, the marks and events for that page, and the pointer.
//
// It decides nothing about what is shown. What arrives is put into an inbox, which the game's Update empties.
// wasm/main.go is its only caller.
package bridge

import (
	"strings"
	"time"
)

// FaultAt writes a fault of the page ("pause client-1 for 15s") for the server, which wants to know when:
// at the first whole millisecond that is not before at. One that says so already stays as it is.
func FaultAt(text string, at time.Duration) string {
	words := strings.Fields(text)
	if len(words) < 2 || len(words) > 2 && words[2] == "at" {
		return text
	}
	at = (at + time.Millisecond - 1).Truncate(time.Millisecond)
	head := words[0] + " " + words[1] + " at " + at.String()
	if tail := strings.Join(words[2:], " "); tail != "" {
		return head + " " + tail
	}
	return head
}
