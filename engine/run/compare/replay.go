package compare

import (
	"errors"
	"net/url"

	"github.com/zkviz/zkviz/engine/analysis/fork"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
)

// Replay is a fork of a log, with what was seen in the original.
type Replay struct {
	Scenario run.Scenario
	seen     fork.Seen
}

// ParseReplay reads seen=SEEN&recipe=NAME&…, with SEEN in fork.Seen's format.
func ParseReplay(q url.Values) (r Replay, err error) {
	r.seen, err = fork.ParseSeen(q.Get("seen"))
	q.Del("seen")
	var bad error
	r.Scenario, bad = run.ParseQuery(q.Encode())
	return r, errors.Join(err, bad)
}

// Differs says how the scenario's run differs from the original, or that it doesn't.
func (r Replay) Differs(played run.Branch) []sentence.Sentence {
	return r.seen.Compare(played.Header, played.Own.From(1))
}
