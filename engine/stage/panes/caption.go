package panes

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// caption is what is said of a run above its picture: in full, and without a rule's name.
type caption struct {
	text, brief string
	broken      bool
}

// judgeBoth returns what is said of two runs: nothing that is true of both. Where there is no verdict on a run, its
// picture may show something that the other's doesn't.
func judgeBoth(two [2]*player.Player, rule string, say Say) (said [2]caption) {
	bad := differing([2][]Verdict{allBroken(two[0], rule, say), allBroken(two[1], rule, say)})
	for i, p := range two {
		said[i] = judged(p, bad[i], cmp.Or(rule, bad[1-i].Rule), say)
	}
	if said[0] == said[1] {
		said = [2]caption{}
	}
	shown := sights([2]*view.State{two[0].State(), two[1].State()}, say)
	for i := range said {
		if said[i].text == "" {
			said[i] = shown[i]
		}
	}
	return said
}

// allBroken returns the verdicts on the rules that a run has broken so far, or on one of them, if that is named.
func allBroken(p *player.Player, rule string, say Say) []Verdict {
	rules := p.Log.Run().Header.Rules()
	if rule != "" {
		rules = slices.DeleteFunc(slices.Clone(rules), func(r string) bool { return r != rule })
	}
	all := judgedOn(p, rules, say)
	return slices.DeleteFunc(all, func(v Verdict) bool { return v.State != "broken" })
}

// judgedOn returns the verdicts on rules so far.
func judgedOn(p *player.Player, rules []string, say Say) []Verdict {
	t := p.Log.Shown()
	return Judge(rules, t.Verdict(), t.History(), p.Head.Seq(), say)
}

// differing returns of each run the first broken rule that the other hasn't broken, the zero value if there is none.
func differing(all [2][]Verdict) (bad [2]Verdict) {
	for i, list := range all {
		at := slices.IndexFunc(list, func(v Verdict) bool {
			return !slices.ContainsFunc(all[1-i], func(o Verdict) bool { return o.Rule == v.Rule })
		})
		if at >= 0 {
			bad[i] = list[at]
		}
	}
	return bad
}

// judged returns the verdict on a run so far: the rule that it has broken, or that it has kept the one that the other
// has broken, or that the step is about. If it has broken one, too, the rule that comes first counts. There is nothing
// to say of two runs that have broken none.
func judged(p *player.Player, bad Verdict, other string, say Say) caption {
	header := p.Log.Run().Header
	rules := header.Rules()
	var kept Verdict
	if slices.Contains(rules, other) {
		if all := judgedOn(p, []string{other}, say); len(all) > 0 && all[0].State == "ok" {
			kept = all[0]
		}
	}
	limit := slices.Contains(header.Limits, bad.Rule) // its promises come first
	if bad.Rule != "" && !limit && (kept.Rule == "" || slices.Index(rules, bad.Rule) < slices.Index(rules, other)) {
		return caption{say("beside.broken", bad.Breach), say("beside.broken.short"), true}
	}
	if ring := p.State().Ring(); len(ring) > 0 {
		stuck := say.voice().Says(sentence.Of("beside.ring", sentence.Clients(ring)))
		return caption{stuck, say("beside.ring.short"), true}
	}
	if kept.Rule != "" {
		undone := left(p.State(), say)
		return caption{say("beside.kept", kept.Text) + undone, say("beside.kept.short") + undone, false}
	}
	if limit {
		return caption{say("beside.limit", bad.Breach), say("beside.limit.short"), false}
	}
	return caption{}
}

// left says how many tasks nobody will do any more, "" for none: to have kept a promise may mean that.
func left(s *view.State, say Say) string {
	if !s.Ended || len(s.Stores) == 0 || s.Stores[0].Open == 0 {
		return ""
	}
	return " · " + say("beside.undone", strconv.Itoa(s.Stores[0].Open))
}

// sights returns what two runs show and differ in, the most telling first.
func sights(two [2]*view.State, say Say) (said [2]caption) {
	for i, look := range [...]func(*view.State, Say) (string, int){torn, idle, stays, reads, tasks} {
		a, kind := look(two[0], say)
		b, other := look(two[1], say)
		if a != b && kind == other && kind > 0 {
			return [2]caption{{a, a, i == 0}, {b, b, i == 0}}
		}
	}
	return said
}

// The looks at a run return what its picture shows, "" for nothing, and a number that is the same for runs that can be
// compared in that, 0 for none.

// torn counts the sheets on which several clients printed.
func torn(s *view.State, say Say) (string, int) {
	n := 0
	for i := range s.Stores {
		n += s.Stores[i].Torn
	}
	if n == 0 {
		return "", 1
	}
	return say("beside.torn", strconv.Itoa(n)), 1
}

// idle says that clients wait while nobody is inside, and nothing is under way that could let one in.
func idle(s *view.State, say Say) (string, int) {
	waiting := 0
	for i := range s.Clients {
		switch c := &s.Clients[i]; {
		case c.Inside || s.Led:
			return "", 1
		case c.Crashed || c.Exited || c.Belief.Phase == "":
		case !c.Blocked || c.Paused || c.Ended != view.Alive || c.Patience > 0:
			return "", 1
		case c.Belief.Phase == program.Waiting:
			waiting++
		}
	}
	moves := slices.ContainsFunc(s.Flights.List, func(m view.Flight) bool {
		return !m.Over && m.Arrives() > s.At && m.Op != event.Ping && m.Op != event.NoOp
	})
	if waiting == 0 || moves {
		return "", 1
	}
	return say("beside.idle", strconv.Itoa(waiting)), 1
}

// stays names the clients that have crashed and have left persistent znodes behind.
func stays(s *view.State, say Say) (string, int) {
	var list []event.Actor
	for i := range s.Clients {
		if a := event.Actor(i + 1); s.Clients[i].Crashed && slices.ContainsFunc(s.Tree.Nodes, func(n view.Node) bool {
			return !n.Gone && n.Creator == a && !n.Mode.IsEphemeral()
		}) {
			list = append(list, a)
		}
	}
	if len(list) == 0 {
		return "", 1
	}
	return say.voice().Says(sentence.Of("beside.stays", sentence.Clients(list))), 1
}

// reads says whether all have read the newest version that somebody has published, or who hasn't.
func reads(s *view.State, say Say) (string, int) {
	var newest view.Belief
	all := true
	for i := range s.Clients {
		c := &s.Clients[i]
		switch b := c.Belief; {
		case b.Phase != program.Published && b.Phase != program.Saw: // it may be about to read
			all = all && (c.Crashed || c.Exited || c.Session == 0)
		case c.Value.Op == event.NoOp || c.Value.Path != b.Path: // it counts something
			return "", 0
		case b.Phase == program.Published && b.Fence > newest.Fence:
			newest = b
		}
	}
	if newest.Fence == 0 {
		return "", 0
	}
	var behind []event.Actor
	for i := range s.Clients {
		c := &s.Clients[i]
		if c.Belief.Phase == program.Saw && c.Belief.Fence < newest.Fence && !c.Crashed && !c.Exited {
			behind = append(behind, event.Actor(i+1))
		}
	}
	if len(behind) == 0 && !all {
		return "", 1
	}
	if len(behind) == 0 {
		return say("beside.read", strconv.FormatInt(newest.Fence, 10)), 1
	}
	return say.voice().Says(sentence.Of("beside.unread", sentence.Number(newest.Fence), sentence.Clients(behind))), 1
}

// tasks says how many of a store's tasks are done.
func tasks(s *view.State, say Say) (string, int) {
	if len(s.Stores) == 0 || s.Stores[0].Done == 0 {
		return "", 0
	}
	done, all := s.Stores[0].Done, s.Stores[0].Done+s.Stores[0].Open
	return say("scene.done-of", strconv.Itoa(done), strconv.Itoa(all)), all
}
