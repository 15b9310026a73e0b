package admin

import "encoding/json"

// Traffic counts what a server has done since its start, or since somebody has reset its counters. It is about its own
// clients. The zero value tells nothing: servers tell it from ZooKeeper 3.6 on.
type Traffic struct {
	UptimeMS int64 // how long the server has served, in ms; 0 if nothing is told
	// Reads has heartbeats among them. Writes has beginnings and ends of sessions among them, and writes that failed.
	Reads, Writes Served
	Failures      [len(failureNames)]int64 // by Failure
}

// Served counts requests with an answer, and how long the server took for them.
type Served struct {
	N, SumMS     int64
	P99MS, MaxMS int64 // of a sample of all
}

// Failure is something that a server counts because it went wrong.
type Failure uint8

// The failures that servers count. They don't count requests that fail: those are answered like others.
const (
	Refused       Failure = iota // connections, mostly because of maxClientCnxns
	Dropped                      // connections that ended without a word
	AuthFailed                   // authentications
	Expired                      // sessions
	Throttled                    // requests refused because too many were outstanding
	Held                         // how often requests waited before the server took them, for the same reason
	Stale                        // requests dropped because their connection or session was gone
	TooLong                      // requests
	Fatal                        // errors that stopped the server from serving
	DigestDiffers                // transactions after which its tree differed from the leader's
)

// failureNames are the servers' names of the failures, by Failure.
var failureNames = [...]string{"connection_rejected", "connection_drop_count", "auth_failed_count",
	"stale_sessions_expired", "throttled_ops", "request_throttle_wait_count",
	"stale_requests_dropped", "large_requests_rejected", "unrecoverable_error_count", "digest_mismatches_count"}

// String returns the server's name of the failure, such as connection_rejected.
func (f Failure) String() string { return failureNames[f] }

// trafficOf reads the figures by their names.
func trafficOf(get func(name string) string) (t Traffic) {
	if get("cnt_readlatency") == "" {
		return t
	}
	t.UptimeMS = number(get("uptime"))
	served := func(name string) Served {
		return Served{N: number(get("cnt_" + name)), SumMS: number(get("sum_" + name)), P99MS: number(get("p99_" + name)),
			MaxMS: number(get("max_" + name))}
	}
	t.Reads, t.Writes = served("readlatency"), served("updatelatency")
	for i, name := range failureNames {
		t.Failures[i] = number(get(name))
	}
	return t
}

// Monitored returns the figures in the answer of an AdminServer to the command monitor.
func Monitored(said map[string]json.RawMessage) Figures {
	get := func(name string) string {
		var text string
		if json.Unmarshal(said[name], &text) == nil {
			return text
		}
		return string(said[name])
	}
	return figuresOf(get)
}
