package admin

import (
	"context"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// Status is what a server reports about itself.
type Status struct {
	Role    Role
	Zxid    int64 // of the last applied transaction; 0 if it isn't reported
	Refused bool  // its whitelist forbids the word
}

// Role is a server's role in its ensemble.
type Role uint8

const (
	Untold  Role = iota // not reported, or a single server
	Looks               // it looks for a leader and serves nobody, or only reads
	Leads               // it leads the ensemble
	Follows             // it follows a leader, or observes
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
		case "Zxid":
			s.Zxid, _ = strconv.ParseInt(value, 0, 64) // otherwise unknown
		case "Mode":
			s.Role = modes[value]
		}
	}
	return s
}

var modes = map[string]Role{"leader": Leads, "follower": Follows, "observer": Follows, "read-only": Looks}
