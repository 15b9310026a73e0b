package admin

import (
	"context"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// Status is what a server reports about itself. Numbers that it doesn't report are 0.
type Status struct {
	Role    Role
	Mode    string // leader, follower, observer, standalone or read-only; empty if it isn't reported
	Zxid    int64  // of the last applied transaction
	Refused bool   // its whitelist forbids the word
	Version string // such as 3.8.0
	// Connections counts its clients, with the connection on which a four-letter word is sent.
	Connections  int64
	Outstanding  int64   // requests without an answer
	LatencyMS    float64 // average time to answer a request since the server's start, in ms
	MaxLatencyMS int64   // the longest such time
}

// Role is a server's role in its ensemble.
type Role uint8

const (
	Untold  Role = iota // not reported, or a single server
	Looks               // it looks for a leader and serves nobody, or only reads
	Leads               // it leads the ensemble
	Follows             // it follows a leader, or observes
)

// Names of modes.
const (
	Leader     = "leader"
	Follower   = "follower"
	Observer   = "observer"
	Standalone = "standalone"
	ReadOnly   = "read-only"
)

// maxStatus is how many bytes of an answer are read. A real one is a tenth of that.
const maxStatus = 4096

// Ask asks a server for its status with the four-letter word srvr, on a separate connection. It changes nothing
// there. It is an error if the server is out of reach or doesn't answer before ctx ends. Any answer is fine.
func Ask(ctx context.Context, dial access.Dialer, addr string) (Status, error) {
	answer, err := dial.Ask(ctx, addr, "srvr", maxStatus)
	if err != nil {
		return Status{}, err
	}
	return readStatus(answer), nil
}

func readStatus(answer string) (s Status) {
	s.Refused = access.Refused(answer)
	if !access.Serves(answer) {
		s.Role = Looks
	}
	for line := range strings.Lines(answer) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch name {
		case "Zookeeper version":
			s.Version = ShortVersion(value)
		case "Latency min/avg/max":
			_, value, _ = strings.Cut(value, "/")
			average, most, _ := strings.Cut(value, "/")
			s.LatencyMS, s.MaxLatencyMS = decimal(average), number(most)
		case "Connections":
			s.Connections = number(value)
		case "Outstanding":
			s.Outstanding = number(value)
		case "Zxid":
			s.Zxid, _ = strconv.ParseInt(value, 0, 64) // otherwise unknown
		case "Mode":
			s.SetMode(value)
		}
	}
	return s
}

var modes = map[string]Role{Leader: Leads, Follower: Follows, Observer: Follows, ReadOnly: Looks, Standalone: Untold}

// SetMode sets the mode that a server reports, and its role. It ignores unknown ones.
func (s *Status) SetMode(mode string) {
	role, known := modes[mode]
	if s.Role = role; known {
		s.Mode = mode
	}
}

// ShortVersion shortens 3.8.0-${mvngit.commit.id}, built on 2024-12-29 17:54 UTC to 3.8.0.
func ShortVersion(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(text)
	}
	return text[:min(end, maxVersion)]
}

// maxVersion is the maximum length of a version.
const maxVersion = 16

// number parses a number that isn't negative; 0 if it isn't one.
func number(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// decimal parses a decimal number of at most a million million; 0 if it isn't one.
func decimal(text string) float64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(f >= 0 && f < 1e12) {
		return 0
	}
	return f
}
