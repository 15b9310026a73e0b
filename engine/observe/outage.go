package observe

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// outage records in the log when no server can be observed.
type outage struct {
	log   *eventLog
	heard time.Time // when a server was last heard, as known at the end of its connection
	why   string    // why there is no connection, as last reported; empty while there is one
}

// disconnected records that no server can be observed.
func (u *outage) disconnected(why string) {
	if why = event.Preview([]byte(why)); u.why != why {
		u.why = why
		u.log.emit(event.Event{Kind: event.Disconnected, Text: why, N: u.silent()})
	}
}

// silent returns how long ago a server was last heard, in ms; 0 if never.
func (u *outage) silent() int64 {
	if u.heard.IsZero() {
		return 0
	}
	return max(time.Since(u.heard).Milliseconds(), 0)
}

// reconnected records that there is a connection again. If the log knows no connection before, began is its zxid.
func (u *outage) reconnected(server string, began int64) {
	if u.why != "" {
		u.why = ""
		u.log.emit(event.Event{Kind: event.Reconnected, Text: event.Preview([]byte(server)), Zxid: began})
	}
}
