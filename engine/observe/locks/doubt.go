package locks

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
)

// deadlock means that a client waits for one behind it in line, which can't get in before it.
type deadlock struct{ who, behind handover.Node }

// settleDoubts decides whether those that may hold it do, as far as their watches are known: a client that still
// waits watches another one in line. It also doubts those that watched nothing ahead while they waited: nobody may
// have told them that their turn has come.
func (t *thing) settleDoubts(r *Row, k Known) {
	t.forgetBlind()
	if len(t.blind) > 0 {
		r.Holding = slices.DeleteFunc(r.Holding, func(h Holder) bool {
			blind := t.blind[h.Path]
			if blind {
				r.Inside--
				r.Unsure++
				r.Doubt = naming.Unwoken
			}
			return blind
		})
	}
	if r.Unsure == 0 || r.Doubt == naming.Gathering || k.Watchers == nil || t.changedMS+handover.LookMS > k.AskedMS {
		return
	}
	var line []handover.Node
	for _, n := range t.of.Line() {
		line = append(line, n)
	}
	at := 0
	for p, n := range t.of.Line() {
		at++
		if p.Doubt == "" {
			continue
		}
		switch i := slices.IndexFunc(line, func(o handover.Node) bool {
			return o.Path != n.Path && k.watches(n.Session, o.Path)
		}); {
		case i >= 0:
			r.Unsure--
			r.Waiting++
			if i >= at {
				r.deadlocks = append(r.deadlocks, deadlock{n, line[i]})
			}
		case k.Whole:
			r.Unsure--
			r.Inside++
			if len(r.Holding) < maxShown {
				r.Holding = append(r.Holding, holder(handover.Hand{Node: n, GotMS: n.MadeMS, Had: true}, k))
			}
		}
	}
	if r.Unsure == 0 {
		r.Doubt = ""
	}
}

// noteBlind records whether a waiting client watches nothing ahead, once it has had the time to look.
func (t *thing) noteBlind(n handover.Node, blind bool, k Known) {
	switch {
	case !blind:
		delete(t.blind, n.Path)
	case n.MadeMS+handover.LookMS <= k.AskedMS:
		if t.blind == nil {
			t.blind = map[string]bool{}
		}
		t.blind[n.Path] = true
	}
}

// forgetBlind forgets those that have gone.
func (t *thing) forgetBlind() {
	for path := range t.blind {
		if _, there := t.of.Node(path); !there {
			delete(t.blind, path)
		}
	}
}
