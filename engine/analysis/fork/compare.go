package fork

import (
	"iter"
	"path"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// visit is one visit of a fork's client, numbered from 1.
type visit struct{ client, number int }

// hold is one time that somebody got in, or took an item.
type hold struct {
	visit
	came, in, out time.Duration
	expired       bool // its session expired meanwhile
	open          bool // it isn't known when it ended
}

// hold returns the part of a turn within a window.
func (t *turn) hold(from, to time.Duration) hold {
	return hold{visit{t.client, t.visit}, max(t.came, from), max(t.in, from), min(t.left, to),
		t.why == event.BySessionExpired && t.left <= to, t.left > to}
}

// Compare tells how a run of the fork differs from what was seen, or that it doesn't: how often clients got in, who
// did one after the other, whose sessions expired meanwhile, and the longest hold and wait. About a run that was
// stopped at its limit on events it says only that.
func (f *Seen) Compare(h event.Header, log iter.Seq[event.Event]) []sentence.Sentence {
	facts := Read(h, log)
	if facts.stopped {
		return []sentence.Sentence{sentence.Of("fork.stopped", sentence.Span(facts.end))}
	}
	played := f.played(facts, log)
	if len(played) == 0 && len(f.holds) > 0 {
		return []sentence.Sentence{sentence.Of("fork.differs.nobody", sentence.Number(len(f.holds)))}
	}
	seen, later := map[visit]bool{}, map[visit]bool{}
	for _, x := range f.holds {
		seen[x.visit] = true
	}
	for _, v := range f.open {
		later[v] = true
	}
	var list []sentence.Sentence
	say := func(key string, args ...sentence.Arg) { list = append(list, sentence.Of("fork.differs."+key, args...)) }
	played = slices.DeleteFunc(played, func(x hold) bool { return !seen[x.visit] && later[x.visit] })
	a, b := expiries(f.holds), expiries(played)
	for _, v := range append(slices.Clone(a), b...) {
		if slices.Contains(a, v) != slices.Contains(b, v) {
			say("expired", sentence.Number(len(a)), sentence.Number(len(b)), name(v), sentence.Number(v.number))
			break
		}
	}
	if len(f.holds) != len(played) {
		say("often", sentence.Number(len(f.holds)), sentence.Number(len(played)))
	}
	for i := range min(len(f.holds), len(played)) {
		if v, w := f.holds[i].visit, played[i].visit; v.client != w.client {
			say("order", sentence.Number(i+1), name(v), name(w))
			break
		}
	}
	slack := time.Duration(min(len(a)+len(b), 1)) * 2 * tick // sessions expire at ticks
	longest := func(key string, of func(hold) time.Duration) {
		s, p := most(f.holds, of), most(played, of)
		if (s - p).Abs() > slack+s/10+time.Second/2 {
			say(key, sentence.Span(s.Round(time.Millisecond)), sentence.Span(p.Round(time.Millisecond)))
		}
	}
	if f.Use.Line() {
		cut := map[visit]bool{}
		for _, x := range f.holds {
			cut[x.visit] = x.open
		}
		longest("hold", func(x hold) time.Duration {
			if cut[x.visit] {
				return 0
			}
			return x.out - x.in
		})
	}
	if f.Use.Line() && !f.Single {
		longest("wait", func(x hold) time.Duration { return x.in - x.came })
	}
	if len(list) == 0 {
		list = append(list, sentence.Of("fork.alike", sentence.Number(len(played)), sentence.Number(len(b))))
	}
	return list
}

// played returns a run's holds, at the place that the first client reports that gets what it came for.
func (f *Seen) played(facts *Facts, log iter.Seq[event.Event]) (list []hold) {
	at := ""
	for e := range log {
		if t := program.Phase(e.Text).Traits(); e.Kind == event.RecipePhase && (t.Access != program.Outside || t.Takes) {
			at = e.Path
			break
		}
	}
	l, ok := facts.children(path.Dir(at))
	if !ok {
		if l, ok = facts.lineAt(at); !ok {
			return nil
		}
	}
	sort.SliceStable(l.places, func(i, j int) bool { return l.places[i].came < l.places[j].came })
	visits := map[event.Actor]int{}
	for i := range l.places {
		p := &l.places[i]
		if f.Use == naming.Queue {
			if p.left < never && p.why == event.ByOp {
				list = append(list, hold{visit: visit{client: int(p.taker)}, came: p.left, in: p.left, out: p.left})
			}
			continue
		}
		visits[p.maker]++
		if p.inside() {
			t := turn{p, int(p.maker), visits[p.maker]}
			list = append(list, t.hold(0, facts.end))
		}
	}
	f.sort(list)
	return list
}

// sort sorts holds by when they began, or by when their clients came if several may be inside.
func (f *Seen) sort(list []hold) {
	shared := f.Use == naming.ReadWrite || f.Use == naming.Semaphore
	sort.SliceStable(list, func(i, j int) bool { // the page's program has this function for other types already
		if shared {
			return list[i].came < list[j].came
		}
		return list[i].in < list[j].in
	})
}

// expiries returns the holds in which sessions expired.
func expiries(list []hold) (those []visit) {
	for _, x := range list {
		if x.expired {
			those = append(those, x.visit)
		}
	}
	return those
}

func most(list []hold, of func(hold) time.Duration) (most time.Duration) {
	for _, x := range list {
		most = max(most, of(x))
	}
	return most
}

func name(v visit) sentence.Arg { return sentence.Text("client-" + strconv.Itoa(v.client)) }
