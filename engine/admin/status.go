package admin

import (
	"context"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/access"
)

// Status is what a server says of itself when it is asked.
type Status struct {
	Role    Role
	Zxid    int64 // of the last that it has applied, 0 if it does not say
	Refused bool  // it is not allowed to say
}

// Role is what a server is in its ensemble.
type Role uint8

const (
	Untold  Role = iota // it does not say, or is a server alone
	Looks               // for a leader, and serves nobody, or only reads
	Leads               // the ensemble
	Follows             // a leader, or only observes
)

// maxStatus is how much of an answer is read, in bytes. It takes a tenth of that.
const maxStatus = 4096

// Ask asks a server what it is: by the four-letter word srvr, on a connection of its own that ends with the answer. It
// changes nothing there. That the server cannot be reached, or does not answer before ctx ends, is an error; that it
// says something else is not.
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
			s.Zxid, _ = strconv.ParseInt(value, 0, 64) // else it is not known
		case "Mode":
			s.Role = modes[value]
		}
	}
	return s
}

var modes = map[string]Role{"leader": Leads, "follower": Follows, "observer": Follows, "read-only": Looks}
