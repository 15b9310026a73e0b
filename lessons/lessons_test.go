package lessons_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/lessons"
)

func open(t *testing.T) *lessons.Book {
	t.Helper()
	b, err := lessons.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The simulated run reaches every step, in order, and no step's picture shows what belongs to the next.
func TestStepsAreReachedInOrder(t *testing.T) {
	b := open(t)
	for _, l := range b.Lessons {
		r := b.RunOf(l.Slug)
		for i, p := range r.Positions {
			if p.Anchor != l.Steps[i].Anchor {
				t.Errorf("%s: position %d is of %s, not of %s", l.Slug, i, p.Anchor, l.Steps[i].Anchor)
			}
			if l.Steps[i].Until == nil || i == 0 {
				continue
			}
			last := i - 1
			for l.Steps[last].Until == nil {
				last--
			}
			before := r.Positions[last]
			if p.Seq <= before.Seq {
				t.Errorf("%s: step %s ends at event %d, not after %s at %d",
					l.Slug, p.Anchor, p.Seq, before.Anchor, before.Seq)
			}
			if at := r.Log.Events[p.Seq-1].At; at < before.At {
				t.Errorf("%s: step %s shows %s, but %s ends at %s", l.Slug, before.Anchor, before.At, p.Anchor, at)
			}
		}
	}
}

// A real ZooKeeper answers within a millisecond or so. The conditions hold there too.
func TestStepsAreReachedOnAFastNetwork(t *testing.T) {
	b := open(t)
	for _, l := range b.Lessons {
		if alone(&l) {
			continue
		}
		for seed := range uint64(5) {
			s := l.Scenario
			s.Latency, s.Jitter, s.Seed = 300*time.Microsecond, 200*time.Microsecond, seed
			log := simulate(t, s)
			log.Header.Host = event.Cluster
			if got := lessons.Positions(&l, log); len(got) < len(l.Steps) {
				t.Errorf("%s, seed %d: step %s is not reached", l.Slug, seed, l.Steps[len(got)].Anchor)
			}
		}
	}
}

// The lesson for a recipe is the first that runs it, or one that only links to it.
func TestTeaching(t *testing.T) {
	b := open(t)
	for recipe, want := range map[string]string{
		"predecessor-lock":         "watch-the-one-ahead",
		"timed-lock":               "giving-up",
		"reentrant-lock":           "the-same-client-twice",
		"unnoticed-expiry":         "fencing",
		"barrier-reused":           "the-double-barrier",
		"delete-before-processing": "taken-but-not-done",
		"stale-own-node":           "one-leader",
		"lost-busy-loop":           "a-setting-for-all",
		"no-such-recipe":           "",
	} {
		slug := ""
		if l, ok := b.Teaching(recipe); ok {
			slug = l.Slug
		}
		if slug != want {
			t.Errorf("%s is taught by %q, not %q", recipe, slug, want)
		}
	}
	for _, r := range []string{
		"leader-election", "naming", "publish-subscribe", "ephemeral-start", "order-by-time", "no-second-look",
	} {
		if _, ok := b.Teaching(r); !ok {
			t.Errorf("no lesson teaches %s", r)
		}
		if l, ok := b.Teaching(r[:len(r)-1]); ok {
			t.Errorf("%s teaches what is called almost like %s", l.Slug, r)
		}
	}
}

// TestOnEven: a step whose own words say so shows the worth of an even number of servers.
func TestOnEven(t *testing.T) {
	l, anchor, ok := open(t).OnEven()
	if !ok || l.Slug != "cut-in-two" || anchor != "four" {
		t.Fatalf("it is shown at %q, %v", anchor, ok)
	}
	if _, _, ok := new(lessons.Book).OnEven(); ok {
		t.Error("a book without lessons shows it")
	}
}

// A tracker that gets one event after the other finds what Positions finds.
func TestTrackerIsIncremental(t *testing.T) {
	b := open(t)
	l, _ := b.Find("the-herd")
	r := b.RunOf(l.Slug)
	tr := lessons.NewTracker(l, false)
	for i, e := range r.Log.Events {
		tr.Append(e)
		for _, p := range tr.Positions() {
			if p.Seq > r.Log.Events[i].Seq {
				t.Fatalf("step %s is known before its event %d", p.Anchor, p.Seq)
			}
		}
	}
	if !slices.Equal(tr.Positions(), r.Positions) {
		t.Errorf("the tracker found %v, Positions %v", tr.Positions(), r.Positions)
	}
}

// Every page can be filled, so each question has its right choice and each number in the words is true.
func TestPages(t *testing.T) {
	b := open(t)
	for _, l := range b.Lessons {
		for _, lang := range b.Languages() {
			p, ok := b.Page(l.Slug, lang)
			if !ok || p.Lang != lang {
				t.Errorf("%s has no page in %s", l.Slug, lang)
				continue
			}
			for _, s := range p.Steps {
				if q := s.Question; q != nil && len(q.Choices) != countRight(q)+len(q.Choices)-1 {
					t.Errorf("%s: step %s has %d right choices", l.Slug, s.Anchor, countRight(q))
				}
				if s.Text == "" || s.HTML == "" || s.At == 0 {
					t.Errorf("%s: step %s has no text or no picture", l.Slug, s.Anchor)
				}
			}
		}
	}
}

func countRight(q *lessons.PageQuestion) (n int) {
	for _, c := range q.Choices {
		if c.Right {
			n++
		}
	}
	return n
}

// Every challenge can be won in par actions, and isn't won without them.
func TestChallengesCanBeWon(t *testing.T) {
	b := open(t)
	challenges := 0
	for i := range b.Lessons {
		l := &b.Lessons[i]
		for j := range l.Steps {
			if l.Steps[j].Challenge != nil {
				challenges++
				winsChallenge(t, l, &l.Steps[j], b.RunOf(l.Slug))
			}
		}
	}
	if challenges < 5 {
		t.Errorf("only %d lessons have a challenge", challenges)
	}
}

func winsChallenge(t *testing.T, l *lessons.Lesson, step *lessons.Step, played *lessons.Run) {
	t.Helper()
	c := step.Challenge
	stop := played.Positions[slices.IndexFunc(l.Steps, func(s lessons.Step) bool { return s.Anchor == step.Anchor })]
	idle := challenge.Attempt{Task: step.Task(played)}
	attempt := idle
	s := l.Scenario
	for _, text := range c.Solution {
		f := parsed(t, text)
		if f.At < stop.At {
			t.Errorf("%s: %q is before %s, where the reader is", l.Slug, text, stop.At)
		}
		if f.Kind.Lasts() && !f.Kind.Sets() && !slices.Contains(fault.Lengths(), f.For) {
			t.Errorf("%s: the length of %q can't be chosen from the list", l.Slug, text)
		}
		s = with(s, f)
		attempt.Act(broken(played, c, stop.Seq))
	}
	r, err := l.Read(simulate(t, s))
	if err != nil {
		t.Fatal(err)
	}
	last := event.Seq(len(r.Log.Events))
	state := attempt.Judge(broken(r, c, last), c.Solution, true)
	if state != challenge.Done || attempt.Level() != challenge.Par {
		t.Errorf("%s: after %v it stands at %s with %d actions", l.Slug, c.Solution, state, attempt.Actions())
	}
	// A reader whose action changes nothing has not won.
	idle.Act(broken(played, c, stop.Seq))
	state = idle.Judge(broken(played, c, event.Seq(len(played.Log.Events))), nil, true)
	if state != challenge.Held {
		t.Errorf("%s: it stands at %s without a fault", l.Slug, state)
	}
}

// broken lists the rules that are broken by an event, once for each time, and likewise the challenge's feat.
func broken(r *lessons.Run, c *lessons.Challenge, by event.Seq) (rules []string) {
	for _, v := range r.Report.Violations {
		if v.Seq <= by {
			rules = append(rules, v.Rule)
		}
	}
	for _, f := range challenge.Feats(logged{r.Log}) {
		if f.Name == c.Rule && f.Seq <= by {
			rules = append(rules, f.Name)
		}
	}
	return rules
}

// A page lists what its lesson's own run breaks, so that this doesn't count as the reader's doing.
func TestChallengesNameWhatIsBrokenAnyway(t *testing.T) {
	b := open(t)
	for i := range b.Lessons {
		l := &b.Lessons[i]
		p, _ := b.Page(l.Slug, "en")
		for j, s := range p.Steps {
			if s.Challenge == nil {
				continue
			}
			c, r := l.Steps[j].Challenge, b.RunOf(l.Slug)
			want := challenge.Task{Step: s.Anchor, Rule: c.Rule, Times: c.Times, Mend: c.Mend,
				Par: c.Par, Forbid: c.Forbid, Base: append([]string{}, broken(r, c, event.Seq(len(r.Log.Events)))...)}
			if got, err := challenge.Parse(s.Challenge.Task); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s/%s: the page's task is %+v, %v, not %+v", l.Slug, s.Anchor, got, err, want)
			}
		}
	}
}

func simulate(t *testing.T, s run.Scenario) *event.Log {
	t.Helper()
	s = s.WithDefaults()
	log := &event.Log{Header: s.Header("sim")}
	if err := run.Sim(context.Background(), s, log); err != nil {
		t.Fatal(err)
	}
	return log
}

// The experiments that some lessons suggest come out as their words say.
func TestInvitations(t *testing.T) {
	b := open(t)
	const (
		shop    = "znodes-sessions-watches"
		gate    = "a-barrier"
		twice   = "the-same-client-twice"
		taken   = "taken-but-not-done"
		here    = "who-is-here"
		setting = "a-setting-for-all"
		topic   = "every-message"
		token   = "whose-lock-is-it"
	)
	type events = []event.Event
	for _, c := range []struct {
		lesson string
		fault  string
		says   string
		holds  func(log events) bool
	}{
		{shop, "cut client-1 at 14s for 5s", "the sign stays", func(log events) bool { return !gone(log, 26*time.Second) }},
		{shop, "cut client-1 at 14s for 15s", "the sign goes", func(log events) bool { return gone(log, 26*time.Second) }},
		{gate, "crash client-1 at 7s", "four start without A", func(log events) bool { return passed(log) == 4 }},
		{gate, "expire client-1 at 5s", "all wait for ever", func(log events) bool { return passed(log) == 0 }},
		{twice, "expire client-2 at 35s", "C gets in", func(log events) bool { return holds(log, 3) }},
		{twice, "cut client-2 at 35s for 1s", "C does not get in", func(log events) bool { return !holds(log, 3) }},
		{taken, "pause client-5 at 20s for 15s", "E's order is begun again", func(log events) bool {
			return phases(log, "began") == 5 && phases(log, "done") == 3
		}},
		{here, "cut client-3 at 4600ms for 15s", "B is dead and listed, C runs on and is not", func(log events) bool {
			return listedAfter(log, 2, 3) && phases(log, "saw") > 6
		}},
		{setting, "drop client-3 at 7s", "C has the last setting too", func(log events) bool { return sawLast(log, 3) }},
		{topic, "pause client-3 at 7500ms for 5s", "C misses nothing", func(log events) bool { return sawEach(log, 3) == 4 }},
		{topic, "drop client-3 at 7500ms", "C misses nothing", func(log events) bool { return sawEach(log, 3) == 4 }},
		{topic, "cut client-3 at 7500ms for 15s", "C gives up", func(log events) bool {
			return sawEach(log, 3) < 4 && phases(log, "gave-up") == 1
		}},
		{token, "restart node-1 at 3s for 500ms", "Redis forgets the key of a client that prints", func(log events) bool {
			return forgets(log, 1)
		}},
	} {
		l, ok := b.Find(c.lesson)
		if !ok {
			t.Fatalf("there is no lesson %s", c.lesson)
		}
		if !c.holds(simulate(t, with(l.Scenario, parsed(t, c.fault))).Events) {
			t.Errorf("%s, %s: the words say that %s", l.Slug, c.fault, c.says)
		}
	}
}

// forgets reports whether a restart takes what a client holds.
func forgets(events []event.Event, client event.Actor) bool {
	for _, e := range events {
		switch {
		case e.Kind == event.RecipePhase && e.Actor == client && e.Text == "released":
			return false
		case e.Kind == event.EntryGone && e.Reason == event.ByRestart:
			return holds(events[:e.Seq], client)
		}
	}
	return false
}

// beside returns the run beside a lesson's at a step, and what has happened in it by then.
func beside(t *testing.T, b *lessons.Book, slug, anchor string) (log *event.Log, until []event.Event) {
	t.Helper()
	l, _ := b.Find(slug)
	log = simulate(t, l.Step(anchor).Beside.Scenario)
	_, pos, _ := b.RunOf(slug).StateAt(anchor)
	for _, e := range log.Events {
		if e.At <= pos.At {
			until = append(until, e)
		}
	}
	return log, until
}

// The runs beside the locks on Redis match the words: there B and C get in when A's key should be gone, A's request to
// delete its key comes when that is B's, C polls at the right moment, one is woken, and A is still inside when the
// server has been restarted.
func TestBesideRedis(t *testing.T) {
	b := open(t)
	beside := func(slug, anchor string) (log *event.Log, until []event.Event) { return beside(t, b, slug, anchor) }
	if _, until := beside("two-commands-one-crash", "next"); !holds(until, 3) || phases(until, "released") != 1 {
		t.Error("34: C isn't inside after B beside it")
	}
	log, until := beside("whose-lock-is-it", "cure")
	if !holds(until, 2) || holds(until, 3) || phases(until, "released") != 1 {
		t.Error("35: B isn't inside alone beside it")
	}
	late := slices.ContainsFunc(until, func(e event.Event) bool {
		return e.Kind == event.MsgSent && e.Peer == 1 && e.Text == "0"
	})
	if !late {
		t.Error("35: A's request doesn't come when the key is B's")
	}
	if r := readLog(t, log); len(r.Report.Violations) > 0 {
		t.Errorf("35: beside it %v is broken", r.Report.Violations)
	}
	if _, until := beside("who-wakes-the-waiter", "polling"); !holds(until, 3) {
		t.Error("36: C isn't inside beside it, at polling")
	}
	var woken []event.Actor
	_, until = beside("who-wakes-the-waiter", "list")
	for _, e := range until {
		if e.Kind == event.OpDone && strings.HasSuffix(e.Text, "/signal 1]") {
			woken = append(woken, e.Actor)
		}
	}
	if !slices.Equal(woken, []event.Actor{2}) {
		t.Errorf("36: beside it the list wakes %v, not only B", woken)
	}
	if _, until := beside("who-wakes-the-waiter", "next"); !holds(until, 3) || holds(until, 4) {
		t.Error("36: C isn't inside alone beside it, at next")
	}
	log, until = beside("who-wakes-the-waiter", "etcd")
	if f := readLog(t, log).Report.Figures; !holds(until, 2) || f.MaxPerRelease != 1 || f.Acquisitions != 4 {
		t.Error("36: at etcd B doesn't get in before it crashes, more than one is woken, or C or D waits forever")
	}
	log, until = beside("the-server-forgot", "cure")
	if r := readLog(t, log); !holds(until, 1) || holds(until, 2) || len(r.Report.Violations) > 0 {
		t.Error("37: beside it A isn't inside alone, or something is broken")
	}
}

// The runs beside the locks of databases match the words: nobody gets in after the crash, D is inside while B still
// believes that it is; the bills are sent once, or not at all; and no ticket is lost.
func TestBesideDatabases(t *testing.T) {
	b := open(t)
	const slug = "the-sleeper-in-the-database"
	if log, until := beside(t, b, slug, "free"); phases(log.Events, "holding") != 1 || !holds(until, 1) {
		t.Error("somebody gets in after A")
	}
	if _, until := beside(t, b, slug, "asleep"); !holds(until, 2) || !holds(until, 4) || phases(until, "lost") > 0 {
		t.Error("D isn't inside beside B, who believes that it is")
	}
	for anchor, done := range map[string]int{"stays": 1, "price": 0} {
		log, until := beside(t, b, "one-at-a-time-is-not-once", anchor)
		if phases(until, "done") != done || phases(log.Events, "gave-up") != 1 {
			t.Errorf("%s: beside it the bills aren't sent %d times, or B doesn't give up", anchor, done)
		}
	}
	for anchor, row := range map[string]string{"one-step": "n=0", "version": "n=1", "once-more": "n=0"} {
		log, until := beside(t, b, "do-you-need-a-lock", anchor)
		if got := lastSet(until); !strings.HasPrefix(got, row) || !strings.HasPrefix(lastSet(log.Events), "n=0") {
			t.Errorf("%s: beside it the row says %s, not %s, or an update is lost", anchor, got, row)
		}
	}
}

// lastSet returns the last value that a node was told to keep.
func lastSet(events []event.Event) (text string) {
	for _, e := range events {
		if e.Kind == event.EntrySet {
			text = e.Text
		}
	}
	return text
}

// gone reports whether a znode was deleted before a time.
func gone(events []event.Event, before time.Duration) bool {
	return slices.ContainsFunc(events, func(e event.Event) bool {
		return e.Kind == event.ZnodeDeleted && e.At < before
	})
}

// holds reports whether a client ever gets the lock.
func holds(events []event.Event, client event.Actor) bool {
	return slices.ContainsFunc(events, func(e event.Event) bool {
		return e.Kind == event.RecipePhase && e.Actor == client && e.Text == "holding"
	})
}

func passed(events []event.Event) int { return phases(events, "passed") }

// phases counts the reports of a phase.
func phases(events []event.Event, phase string) (n int) {
	for _, e := range events {
		if e.Kind == event.RecipePhase && e.Text == phase {
			n++
		}
	}
	return n
}

// listedAfter reports whether a client was still listed after its crash when another, which ran on, was no longer
// listed.
func listedAfter(events []event.Event, dead, alive event.Actor) bool {
	crashed, off := false, false
	for _, e := range events {
		switch {
		case e.Kind == event.ClientCrashed && e.Actor == dead:
			crashed = true
		case e.Kind == event.ClientExited && e.Actor == alive:
			return false
		case e.Kind == event.ZnodeDeleted && e.Peer == alive:
			off = true
		case e.Kind == event.ZnodeDeleted && e.Peer == dead:
			return crashed && off
		}
	}
	return false
}

// sawEach returns how many messages a client has seen, or -1 if one was missing or out of order.
func sawEach(events []event.Event, client event.Actor) (n int64) {
	for _, e := range events {
		if e.Kind != event.RecipePhase || e.Text != "saw" || e.Actor != client {
			continue
		}
		if n++; e.N != n {
			return -1
		}
	}
	return n
}

// sawLast reports whether a client has seen the last publication.
func sawLast(events []event.Event, client event.Actor) bool {
	var published, saw int64
	for _, e := range events {
		switch {
		case e.Kind == event.RecipePhase && e.Text == "published":
			published = e.N
		case e.Kind == event.RecipePhase && e.Text == "saw" && e.Actor == client:
			saw = e.N
		}
	}
	return published > 0 && saw == published
}
