package bridge

import (
	"slices"
	"strconv"

	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/protocol"
	"github.com/zkviz/zkviz/wasm/player"
)

// repeats has done to the run beside what has been done to the first, so that both are in the same plight.
type repeats struct {
	faults map[int]string // by the branch of the first run that a fault has made: the fault as it is in the second
	asked  map[int]bool   // those that were asked for
}

// follow shows the branch of the second run that has had the same done to it as the one that is shown of the first. It
// returns requests for what is still to be done.
func (r *repeats) follow(lead *player.Player, pair *player.Pair) (requests []protocol.Request) {
	if r.faults == nil {
		r.faults, r.asked = map[int]string{}, map[int]bool{}
	}
	branches, at := pair.Other().Branches(), 0
	for _, b := range player.Descent(lead.Branches(), lead.Branch()) {
		text, known := r.faults[b.ID]
		if !known {
			text = moved(b.Fault, pair)
			r.faults[b.ID] = text
		}
		i := slices.IndexFunc(branches, func(o player.Branch) bool { return o.Parent == at && o.Fault == text })
		if i < 0 {
			if !r.asked[b.ID] {
				r.asked[b.ID] = true
				requests = append(requests, protocol.Request{Do: protocol.Inject, Branch: at, Fault: text})
			}
			break // what comes after it, once it is there
		}
		at = branches[i].ID
	}
	if pair.Other().Branch() != at {
		pair.Other().Do("branch", strconv.Itoa(at))
	}
	return requests
}

// moved is a fault at the time at which the second run is where the first one is.
func moved(text string, pair *player.Pair) string {
	f, err := fault.Parse(text)
	if err != nil || pair.By == player.ByTime {
		return text
	}
	f.At = millisecond(pair.Time(f.At))
	return f.String()
}
