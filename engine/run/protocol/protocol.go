// Package protocol defines everything that passes between a run and its viewers: a viewer's requests, the messages
// and frames of events that it gets, and their encoding.
//
// It doesn't say how they travel (a websocket, or a call) or what is done about them. engine/run/room does that, for
// wasm/bridge and other viewers. Requests come from strangers: ParseRequest trusts nothing. JSON is read and
// written by hand, because encoding/json would add 0.4 MB to the page.
package protocol

import (
	"strings"
)

// Limits that both ends know.
const (
	// MaxRequest is the longest request, in bytes.
	MaxRequest = 4 << 10
	// RequestsPerSecond is how many requests a viewer may send in the long run. RequestBurst is how many at once.
	RequestsPerSecond = 20
	RequestBurst      = 60
	// MaxFrame is the longest frame of events, in bytes.
	MaxFrame = 32 << 10
	// MaxFaults is how many faults a run may begin with.
	MaxFaults = 64
	// MaxContenders is how many contender clients may run in one room.
	MaxContenders = 10
	// MaxPath is the longest path of a znode in a request, in bytes.
	MaxPath = 1024
)

// Clip shortens foreign text for use in a sentence.
func Clip(s string) string {
	const most = 120 // bytes
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
