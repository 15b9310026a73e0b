package bridge

import (
	"slices"
	"strconv"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// repeats injects the first run's faults into the second, so that both are in the same situation.
type repeats struct {
	faults map[int]string // by the branch of the first run that a fault created: the fault for the second
	asked  map[int]bool   // branches whose fault was requested
}

// follow shows the branch of the second run with the same faults as the first run's current branch. It returns requests
// for the missing ones.
func (r *repeats) follow(lead *player.Player, pair *player.Pair) (requests []protocol.Request) {
	if r.faults == nil {
		r.faults, r.asked = map[int]string{}, map[int]bool{}
	}
	branches, at := pair.Other().Log.Branches(), 0
	for _, b := range player.Descent(lead.Log.Branches(), lead.Log.Branch()) {
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
			break // later faults follow once this one is there
		}
		at = branches[i].ID
	}
	if pair.Other().Log.Branch() != at {
		pair.Other().Do("branch", strconv.Itoa(at))
	}
	return requests
}

// moved returns a fault at the second run's time for the same position.
func moved(text string, pair *player.Pair) string {
	f, err := fault.Parse(text)
	if err != nil || pair.By == player.ByTime {
		return text
	}
	f.At = millisecond(pair.Time(f.At))
	return f.String()
}
