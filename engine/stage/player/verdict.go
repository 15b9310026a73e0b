package player

import (
	"fmt"
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// Verdict is what the server says of a branch's log.
type Verdict = protocol.Verdict

// verdict is what is known of a branch's log. Others may hold its lists, so they never change.
type verdict struct {
	deeds  []promise.Violation
	events event.Seq // how many it covers
	broken promise.Verdict
	feats  []promise.Violation
}

// PutVerdict adds what is new about a branch's log.
func (p *Player) PutVerdict(m Verdict) error {
	if !p.Log.announced(m.Branch) {
		return fmt.Errorf("a verdict on branch %d, which was not announced", m.Branch)
	}
	v := &p.Log.tracks[m.Branch].verdict
	if m.From < 0 || m.From > len(v.deeds) || m.From+len(m.Deeds) > promise.MaxViolations+challenge.MaxFeats {
		return fmt.Errorf("a verdict on branch %d goes from deed %d to %d: impossible", m.Branch, len(v.deeds), m.From)
	}
	p.Log.news++
	if m.From < len(v.deeds) || len(m.Deeds) > 0 || !slices.Equal(m.Unjudged, v.broken.Unjudged) {
		p.touch() // captions tell
	}
	if v.deeds = append(v.deeds[:m.From:m.From], m.Deeds...); m.Events > 0 {
		v.settle(m)
	}
	return nil
}

// settle takes the last part of a verdict.
func (v *verdict) settle(m Verdict) {
	v.events, v.feats, v.broken = m.Events, nil, promise.Verdict{Unjudged: m.Unjudged}
	for _, d := range v.deeds {
		if challenge.IsFeat(d.Rule) {
			v.feats = append(v.feats, d)
		} else {
			v.broken.Violations = append(v.broken.Violations, d)
		}
	}
}

// Verdict returns the verdict on the branch, including what comes after the playhead.
func (t *Track) Verdict() promise.Verdict {
	if t == nil {
		return promise.Verdict{}
	}
	return t.verdict.broken
}

// Deeds returns the branch's broken rules, and then its feats of that name.
func (t *Track) Deeds(feat string) []promise.Violation {
	if t == nil {
		return nil
	}
	deeds := slices.Clip(t.verdict.broken.Violations)
	for _, f := range t.verdict.feats {
		if f.Rule == feat {
			deeds = append(deeds, f)
		}
	}
	return deeds
}

// Judged reports whether the verdict covers everything that has arrived.
func (t *Track) Judged() bool { return t.unjudged() == 0 }

// Lags reports whether the verdict covers less than has arrived. While a log grows, a verdict may be a moment old.
func (t *Track) Lags() bool {
	n := t.unjudged()
	return n > 0 && t.complete() || n > atOnce
}

// unjudged counts the events that have arrived and are not judged yet.
func (t *Track) unjudged() int {
	if t == nil || t.history == nil || !t.judging {
		return 0
	}
	return max(t.history.Len()-int(t.verdict.events), 0)
}
