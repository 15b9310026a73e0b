// Package protocol is all that passes between a run and anyone who views it: the requests of a viewer, and the messages
// and frames of events that it gets, with their encoding.
//
// It says nothing of how they travel (a websocket, or a call) nor of what is done about them; engine/room does that,
// for wasm/bridge and others that view. Requests come from strangers: ParseRequest trusts nothing. JSON is read and
// written by hand, since encoding/json would cost the page 0.4 MB.
package protocol

import (
	"strings"
)

// Limits of what passes, which both ends know.
const (
	// MaxRequest is the longest request, in bytes.
	MaxRequest = 4 << 10
	// RequestsPerSecond is how many requests a viewer may send in the long run, RequestBurst how many at once.
	RequestsPerSecond = 20
	RequestBurst      = 60
	// MaxFrame is the longest frame of events, in bytes.
	MaxFrame = 32 << 10
	// MaxFaults is how many faults a run that is opened may begin with.
	MaxFaults = 64
	// MaxContenders is how many clients of ours contend in one room.
	MaxContenders = 10
	// MaxPath is the longest path of a znode that may be asked for, in bytes.
	MaxPath = 1024
)

// Clip keeps what somebody else wrote short enough for a sentence.
func Clip(s string) string {
	const most = 120 // bytes
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
