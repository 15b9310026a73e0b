package panes_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stage/panes"
	ui "github.com/zkviz/zkviz/static/strings"
	"github.com/zkviz/zkviz/static/strings/words"
)

func say(t *testing.T) panes.Say {
	t.Helper()
	w, err := ui.Load(ui.Source)
	if err != nil {
		t.Fatal(err)
	}
	return func(key string, args ...string) string {
		if !w.Has(key) {
			t.Errorf("the panes ask for the string %q, which does not exist", key)
		}
		return words.Words(w).Say(key, args...)
	}
}

// history returns a run of six clients; a pause that isn't 0 stops the first holder for that long.
func history(t *testing.T, recipe string, pause time.Duration) *view.History {
	t.Helper()
	s := run.Scenario{Recipe: recipe, Clients: 6, Seed: 1, Latency: 300 * time.Millisecond,
		Stagger: 500 * time.Millisecond, Hold: 3 * time.Second, Lines: true}
	if pause > 0 {
		s.Faults = []fault.Fault{{Kind: fault.Pause, Client: 1, At: 4 * time.Second, For: pause}}
	}
	var log event.Log
	if err := run.Sim(context.Background(), s, &log); err != nil {
		t.Fatal(err)
	}
	f := view.NewHistoryFor(s.WithDefaults().Header(event.Simulated))
	f.AppendAll(log.Events)
	return f
}

// seqOf returns the nth event that fits.
func seqOf(t *testing.T, f *view.History, nth int, fits func(event.Event) bool) event.Seq {
	t.Helper()
	for i := range f.Len() {
		if e := f.Event(i); fits(e) {
			if nth--; nth == 0 {
				return e.Seq
			}
		}
	}
	t.Fatal("no such event in the run")
	return 0
}

// settled returns the moment before the first release: one client is inside, the others wait.
func settled(t *testing.T, f *view.History) event.Seq {
	return seqOf(t, f, 1, func(e event.Event) bool { return e.Kind == event.RecipePhase && e.Text == "released" }) - 1
}

func value(in panes.Inspected, name string) string {
	for _, f := range in.Facts {
		if f.Name == name {
			if f.Wrong {
				return f.Value + " (wrong)"
			}
			return f.Value
		}
	}
	return ""
}

// TestInspectQueue checks that the inspector distinguishes the holder, the next and the last in the queue, and belief
// from truth.
func TestInspectQueue(t *testing.T) {
	f, say := history(t, "children-lock", 0), say(t)
	at := settled(t, f)
	s := f.StateAtSeq(at)
	for id, want := range map[string][2]string{
		"client-1": {"is inside", "is inside"},
		"client-2": {"waits its turn", "waits, 1 ahead"},
		"client-6": {"waits its turn", "waits, 5 ahead"},
	} {
		in := panes.Inspect(s, s.At, id, "children_lock.go", say)
		if got := [2]string{value(in, "believes"), value(in, "in truth")}; got != want {
			t.Errorf("%s at event %d believes and is %q, want %q", id, at, got, want)
		}
	}
	if in := panes.Inspect(s, s.At, "client-2", "children_lock.go", say); !strings.HasPrefix(value(in, "blocked at"),
		"children_lock.go:") {
		t.Errorf("client-2 is blocked at %q", value(in, "blocked at"))
	}
}

// TestInspectOver checks that a process can be acted on while it runs.
func TestInspectOver(t *testing.T) {
	f, say := history(t, "children-lock", 0), say(t)
	exit := seqOf(t, f, 1, func(e event.Event) bool { return e.Kind == event.ClientExited && e.Actor == 1 })
	for seq, want := range map[event.Seq]bool{exit - 1: false, exit: true} {
		s := f.StateAtSeq(seq)
		if in := panes.Inspect(s, s.At, "client-1", "", say); in.Over != want {
			t.Errorf("at event %d client-1 is over: %v, want %v", seq, in.Over, want)
		}
	}
	s := view.New()
	s.Apply(event.Event{Seq: 1, Kind: event.ClientStarted, Actor: 1})
	s.Apply(event.Event{Seq: 2, Kind: event.ClientCrashed, Actor: 1})
	if !panes.Inspect(s, 0, "client-1", "", say).Over {
		t.Error("a crashed client is not over")
	}
}

// TestInspectBeliefAgainstTruth checks that a holder that sleeps through its session is inside only by its own belief.
func TestInspectBeliefAgainstTruth(t *testing.T) {
	f, say := history(t, "predecessor-lock", 30*time.Second), say(t)
	at := seqOf(t, f, 1, func(e event.Event) bool { return e.Kind == event.SessionExpired })
	s := f.StateAtSeq(at)
	in := panes.Inspect(s, s.At, "client-1", "predecessor_lock.go", say)
	if got := value(in, "believes"); got != "is inside (wrong)" {
		t.Errorf("the paused holder believes %q", got)
	}
	if got := value(in, "in truth"); got != "not inside: its session expired" {
		t.Errorf("in truth it %q", got)
	}
}

// TestInspectWaitingBeforeItKnows checks that a client whose znode is in the queue waits in truth, even before its
// program knows.
func TestInspectWaitingBeforeItKnows(t *testing.T) {
	f, say := history(t, "predecessor-lock", 30*time.Second), say(t)
	seen := 0
	for i := range f.Len() {
		e := f.Event(i)
		if e.Kind != event.ZnodeCreated || e.Session == 0 {
			continue
		}
		s := f.StateAtSeq(e.Seq)
		got := value(panes.Inspect(s, s.At, e.Peer.String(), "predecessor_lock.go", say), "in truth")
		if got == "" { // nobody has reported yet
			continue
		}
		if seen++; !strings.HasPrefix(got, "waits, ") && got != "is first in the queue" {
			t.Errorf("when %s is made, in truth its client %q", e.Path, got)
		}
	}
	if seen == 0 {
		t.Error("nobody is in the queue")
	}
}

func TestInspectHostileNode(t *testing.T) {
	say := say(t)
	name := "/a/<b>\u202e\x00" + strings.Repeat("x", 5000)
	s := view.New()
	s.Apply(event.Event{Seq: 1, Kind: event.ZnodeCreated, Path: name, Text: "<script>\x07", N: 100_000})
	in := panes.Inspect(s, 0, name, "", say)
	if len(in.Facts) < 5 {
		t.Fatalf("only %d facts", len(in.Facts))
	}
	for _, f := range in.Facts {
		if strings.ContainsAny(f.Value, "\u202e\x00\x07") || len(f.Value) > 1000 {
			t.Errorf("%s shows %.60q", f.Name, f.Value)
		}
	}
}

func TestShort(t *testing.T) {
	for path, want := range map[string]string{
		"/zkviz/lock-100001f2a-0000000007": "lock-007",
		"/q/item-0000001234":               "item-1234",
		"/zkviz/lock":                      "lock",
		"/":                                "/",
		"/a/0000000001":                    "001",
		"/a/face-0000000001":               "face-001",

		"/q/_c_5c1f9d6e-8f0b-4a53-9d3c-0a1b2c3d4e5f-lock-0000000002": "lock-002", // Apache Curator
		"/q/_c_5c1f9d6e8f0b4a539d3c0a1b2c3d4e5f-lock-0000000003":     "lock-003", // go-zookeeper
		"/q/5c1f9d6e8f0b4a539d3c0a1b2c3d4e5f__lock__0000000004":      "lock-004", // kazoo
		"/q/100001f2a-lock-0000000005":                               "lock-005",
	} {
		if got := panes.Short(path); got != want {
			t.Errorf("Short(%q) = %q, want %q", path, got, want)
		}
	}
}

// TestLogJoinsTheHerd checks that one row shows the five watches that the first release of the herd fires.
func TestLogJoinsTheHerd(t *testing.T) {
	f, say := history(t, "children-lock", 0), say(t)
	fired := seqOf(t, f, 1, func(e event.Event) bool {
		return e.Kind == event.WatchFired && f.Event(int(e.Cause)-1).Kind == event.ZnodeDeleted
	})
	var l panes.Log
	w := l.Window(f, fired+4, say)
	if r := panes.NewRow(f, w.Marks[max(w.Now, 0)], say); r.Kind != "watch.fired ×5" {
		t.Fatalf("the row at the release is %+v", r)
	}
}

// TestEveryRowHasAReason checks that every row of every kind of run says why.
func TestEveryRowHasAReason(t *testing.T) {
	say := say(t)
	for _, recipe := range []string{"unique-lock", "children-lock", "predecessor-lock", "fifo-queue", "barrier"} {
		for _, pause := range []time.Duration{0, 30 * time.Second} {
			f := history(t, recipe, pause)
			var l panes.Log
			for seq := event.Seq(0); int(seq) <= f.Len(); seq += 40 {
				for _, m := range l.Window(f, seq, say).Marks {
					r := panes.NewRow(f, m, say)
					if r.Why == "" && !strings.HasPrefix(r.Kind, "run.") && r.Kind != "recipe.note" && r.Kind != "client.started" {
						t.Fatalf("%s: the row %+v has no reason", recipe, r)
					}
				}
			}
		}
	}
}

func TestReasonOfTheHerd(t *testing.T) {
	f, say := history(t, "predecessor-lock", 0), say(t)
	fired := seqOf(t, f, 1, func(e event.Event) bool { return e.Kind == event.WatchFired })
	if got, want := panes.Reason(f, f.Event(int(fired)-1), say), "B watched lock-000, and A deleted it"; got != want {
		t.Errorf("the first watch fired because %q, want %q", got, want)
	}
	chain := panes.Chain(f, fired, say)
	if len(chain) < 3 || !strings.Contains(chain[1].Kind, "znode.deleted") || !strings.Contains(chain[2].Kind, "op.sent") {
		t.Errorf("it came about by %+v", chain)
	}
}

// TestFencingNumber checks that the first in a queue has the fencing token 0, that a client without a number has none,
// and that a number of members isn't taken for one.
func TestFencingNumber(t *testing.T) {
	say := say(t)
	for _, test := range []struct {
		belief view.Belief
		want   string
	}{
		{view.Belief{Phase: program.Waiting, Path: "/l/lock-0000000000"}, "0"},
		{view.Belief{Phase: program.Holding, Path: "/l/lock-0000000000"}, "0"},
		{view.Belief{Phase: program.Holding, Path: "/l/lock-0000000007", Fence: 7}, "7"},
		{view.Belief{Phase: program.Holding, Path: "/l/lock"}, "–"},
		{view.Belief{Phase: program.Released, Path: "/l/lock-0000000007", Fence: 7}, "–"},
		{view.Belief{Phase: program.Saw, Path: "/members", Fence: 3}, "–"},
		{view.Belief{}, "–"},
	} {
		s := &view.State{Clients: []view.Client{{Name: "client-1", Started: true, Belief: test.belief}}}
		for _, f := range panes.Inspect(s, 0, "client-1", "", say).Facts {
			if f.Name == say("fact.fence") && f.Value != test.want {
				t.Errorf("%+v: the fencing number is %s, want %s", test.belief, f.Value, test.want)
			}
		}
	}
}

// TestLogFollows checks that following a history in parts gives the same rows as reading it whole.
func TestLogFollows(t *testing.T) {
	whole, say := history(t, "children-lock", 0), say(t)
	var a, b panes.Log
	growing := &view.History{}
	a.Search("Watch.")
	b.Search("watch.")
	for i := range whole.Len() {
		growing.Append(whole.Event(i))
		if i%7 == 0 {
			a.Window(growing, event.Seq(i), say)
		}
	}
	last := event.Seq(whole.Len())
	one, other := a.Window(growing, last, say), b.Window(whole, last, say)
	if len(one.Marks) == 0 || !slices.Equal(one.Marks, other.Marks) || one.Before != other.Before || one.Now != other.Now {
		t.Fatalf("%v after %d, want %v after %d", one.Marks, one.Before, other.Marks, other.Before)
	}
	for _, m := range one.Marks {
		if r := panes.NewRow(whole, m, say); !strings.HasPrefix(r.Kind, "watch.") {
			t.Errorf("the search found %+v", r)
		}
	}
}

// TestLogForks checks that the log of a branch has the same rows as a log read whole, wherever the branch begins, and
// that the parent's log keeps its rows.
func TestLogForks(t *testing.T) {
	parent, say := history(t, "children-lock", 0), say(t)
	var of panes.Log
	of.Window(parent, 0, say)
	rows := func(l *panes.Log, h panes.History) (all []panes.Mark) {
		for seq := 0; seq <= h.Len(); seq += 20 {
			all = append(all, l.Window(h, event.Seq(seq), say).Marks...)
		}
		return all
	}
	before := rows(&of, parent)
	for n := range parent.Len() {
		branch := parent.Fork(event.Seq(n))
		branch.AppendAll([]event.Event{
			{Kind: event.WatchFired, Peer: 2, Path: "/l", Type: uint8(zoo.NodeDeleted), Cause: event.Seq(n)},
			{Kind: event.RecipeNote, Actor: 1},
		})
		if got, want := rows(of.Fork(event.Seq(n)), branch), rows(&panes.Log{}, branch); !slices.Equal(got, want) {
			t.Fatalf("after %d events %v, want %v", n, got, want)
		}
	}
	if !slices.Equal(rows(&of, parent), before) {
		t.Error("the parent's rows have changed")
	}
}

// TestLogWindow checks that the window is short, contains the playhead's row and leaves nothing out.
func TestLogWindow(t *testing.T) {
	f, say := history(t, "unique-lock", 0), say(t)
	var l panes.Log
	for seq := event.Seq(0); int(seq) <= f.Len(); seq += 5 {
		w := l.Window(f, seq, say)
		if len(w.Marks) > 400 || w.Before < 0 || w.After < 0 {
			t.Fatalf("at %d: %d rows, %d before, %d after", seq, len(w.Marks), w.Before, w.After)
		}
		for i, m := range w.Marks {
			if m.Begun != (m.First <= seq) || m.Begun != (i <= w.Now) {
				t.Fatalf("at %d: row %d of event %d has begun: %v, now is row %d", seq, i, m.First, m.Begun, w.Now)
			}
		}
	}
	if w := func() panes.Window { l.Search("no such thing"); return l.Window(f, 9, say) }(); !w.Empty {
		t.Error("a search for nothing found something")
	}
}

// TestTrackOfServers marks what an observer noticed among the servers, and no other remark.
func TestTrackOfServers(t *testing.T) {
	at := func(ms int, why event.Reason) event.Event {
		return event.Event{Kind: event.RecipeNote, At: time.Duration(ms) * time.Millisecond, Reason: why}
	}
	f := small("lock", join(began(1), log(at(100, event.QuorumLost), at(200, event.LeftMissing), at(500, event.QuorumBack),
		at(500, event.LeaderNow)))...)
	if track := panes.NewTrack(f, &panes.Releases{}, time.Second, nil, nil); track.Servers != "M100 0V100M500 0V100" {
		t.Errorf("the marks are %q", track.Servers)
	}
}

func TestTrack(t *testing.T) {
	f := history(t, "children-lock", 0)
	end := f.Event(f.Len()-1).At + time.Second
	track := panes.NewTrack(f, &panes.Releases{}, end, []time.Duration{0, end / 2}, []time.Duration{end})
	if n := strings.Count(track.Releases, "M"); n != 6 {
		t.Errorf("%d releases are marked, want 6: %s", n, track.Releases)
	}
	if track.Steps != "M0 0V40M500 0V40" || track.Branches != "M1000 0V100" {
		t.Errorf("steps %q, branches %q", track.Steps, track.Branches)
	}
	if (panes.NewTrack(&view.History{}, &panes.Releases{}, 0, nil, nil) != panes.Track{}) {
		t.Error("an empty log has a drawing")
	}
}

func TestChartOfTheHerd(t *testing.T) {
	f, say := history(t, "children-lock", 0), say(t)
	c := panes.NewChart(f.StateAtSeq(event.Seq(f.Len())), say)
	if len(c.Bars) != 6 || c.Bars[0] != (panes.Bar{Woken: 5, Wasted: 4}) || c.Most != 5 {
		t.Errorf("the chart is %+v", c)
	}
}

// TestChartOfTheTold checks that, while a release's notifications are under way, the chart's text counts the clients
// they are for, though the bar is still empty.
func TestChartOfTheTold(t *testing.T) {
	f, say := history(t, "children-lock", 0), say(t)
	var fired, delivered []event.Seq
	first := event.Seq(0)
	for i := range f.Len() {
		switch e := f.Event(i); {
		case e.Kind == event.ZnodeDeleted && first == 0:
			first = e.Seq
		case e.Kind == event.WatchFired && first > 0 && len(fired) < 5:
			fired = append(fired, e.Seq)
		case e.Kind == event.WatchDelivered && first > 0 && len(delivered) < 5:
			delivered = append(delivered, e.Seq)
		}
	}
	for seq, want := range map[event.Seq]string{
		fired[4]:     "At the last one: 5 told, 0 wakeups so far.",
		delivered[1]: "At the last one: 5 told, 2 wakeups so far.",
		delivered[4]: "At the last one: 5 wakeups, ",
	} {
		if c := panes.NewChart(f.StateAtSeq(seq), say); !strings.HasPrefix(c.Text, want) {
			t.Errorf("at %d the chart says %q, want %q", seq, c.Text, want)
		}
	}
}

// TestLines checks that each waiting client has its chip on one line, and that further ones are counted.
func TestLines(t *testing.T) {
	f, say := history(t, "children-lock", 0), say(t)
	s := f.StateAtSeq(settled(t, f))
	chips, inLine := 0, panes.Line(s, "")
	for _, c := range panes.Lines(s, say) {
		chips += len(c.Clients) + c.More
	}
	if chips < 5 {
		t.Errorf("%d clients have a chip, want all that wait", chips)
	}
	if n := len(panes.Lines(s, say)[inLine].Clients); n != 5 {
		t.Errorf("%d clients wait in line %d, want 5", n, inLine)
	}
}

// TestJudge checks that the verdict is the moment's, not the whole run's, and has every promised rule.
func TestJudge(t *testing.T) {
	say := say(t)
	promises := []string{promise.TruthExclusion, promise.BeliefExclusion}
	history := &view.History{}
	for seq := event.Seq(1); seq <= 100; seq++ {
		e := event.Event{Seq: seq, At: time.Duration(seq), Kind: event.RecipeNote, Actor: 1}
		if seq == 40 || seq == 100 {
			e.Kind, e.Actor, e.Text = event.RecipePhase, event.Actor(1+seq/100), "holding"
		}
		history.Append(e)
	}
	broken := []promise.Violation{{Rule: promise.BeliefExclusion, Seq: 100, At: 5 * time.Second,
		Clients:  []event.Actor{1, 2},
		Sentence: sentence.Of("broken.belief-exclusion.expired", sentence.Client(1), sentence.Time(4200*time.Millisecond))}}
	for seq, want := range map[event.Seq]string{0: "", 99: "ok ok ", 100: "broken ok "} {
		got := ""
		for _, v := range panes.Judge(promises, promise.Verdict{Violations: broken}, history, seq, say) {
			got += v.State + " "
		}
		if got != want {
			t.Errorf("at %d the verdict is %q, want %q", seq, got, want)
		}
	}
	v := panes.Judge(promises, promise.Verdict{Violations: broken}, history, 100, say)[0]
	if v.Detail != "A's session had expired at 4.2 s." || v.Rule != promise.BeliefExclusion ||
		!slices.Equal(v.Proof, []event.Seq{40, 100}) {
		t.Errorf("the verdict is %+v", v)
	}
	if v := panes.Judge(nil, promise.Verdict{Violations: broken}, history, 100, say); len(v) > 0 {
		t.Errorf("a run that promises nothing gets the verdict %+v", v)
	}
}

// TestJudgeTheLatest checks that the last violation of a rule is shown: the learner's own faults come after the
// lesson's.
func TestJudgeTheLatest(t *testing.T) {
	say := say(t)
	history := &view.History{}
	for seq := event.Seq(1); seq <= 100; seq++ {
		history.Append(event.Event{Seq: seq, At: time.Duration(seq) * time.Second, Kind: event.RecipeNote, Actor: 1})
	}
	rule := promise.BeliefExclusion
	broken := []promise.Violation{
		{Rule: rule, Seq: 20, At: 20 * time.Second, Clients: []event.Actor{2, 1}, Sentence: early(2)},
		{Rule: promise.Order, Seq: 30, At: 30 * time.Second, Sentence: early(4)},
		{Rule: rule, Seq: 50, At: 50 * time.Second, Clients: []event.Actor{3, 1}, Sentence: early(3)},
	}
	for seq, want := range map[event.Seq]string{
		49: "A and B believe that they're inside, at 20.0 s B left at 0.0 s, when A hadn't done all of it.",
		50: "A and C believe that they're inside: 2 times, last at 50.0 s C left at 0.0 s, when A hadn't " +
			"done all of it.",
	} {
		v := panes.Judge([]string{rule}, promise.Verdict{Violations: broken}, history, seq, say)[0]
		if got := v.Text + " " + v.Detail; got != want || v.Proof[0] != max(20, seq/50*50) {
			t.Errorf("at %d the verdict is %q, %v; want %q", seq, got, v.Proof, want)
		}
	}
}

// early returns a sentence that the client left before client-1.
func early(a event.Actor) sentence.Sentence {
	return sentence.Of("broken.together.early", sentence.Client(a), sentence.Time(0), sentence.Clients([]event.Actor{1}))
}

// TestJudgeTheUndecided checks that only the end of a run decides whether anything is left behind or a client waits
// forever.
func TestJudgeTheUndecided(t *testing.T) {
	say := say(t)
	promises := []string{promise.Progress, promise.TruthExclusion, promise.Clean}
	history := &view.History{}
	history.Append(event.Event{Seq: 1, Kind: event.RunStarted})
	history.Append(event.Event{Seq: 2, Kind: event.RunEnded, Reason: event.EndAllDone})
	left := []promise.Violation{{Rule: promise.Clean, Clients: []event.Actor{1}, Seq: 2}}
	spins := []promise.Violation{{Rule: promise.Progress, How: promise.Spins, Clients: []event.Actor{1}, Seq: 1}}
	const (
		alone = "ok At most one client is inside, "
		both  = "open 2 more are decided at the end, "
		clean = "ok Nothing is left behind, "
	)
	for _, test := range []struct {
		seq    event.Seq
		broken []promise.Violation
		want   string
	}{
		{1, nil, alone + both},
		{2, nil, "ok Nobody waits forever, " + alone + clean},
		{1, left, alone + both},
		{2, left, "broken A leaves something behind, at 0.0 s, ok Nobody waits forever, " + alone},
		{1, spins, "broken A spins, at 0.0 s, " + alone + "open At the end: Nothing is left behind, "},
	} {
		got := ""
		for _, v := range panes.Judge(promises, promise.Verdict{Violations: test.broken}, history, test.seq, say) {
			got += v.State + " " + v.Text + ", "
		}
		if got != test.want {
			t.Errorf("at %d: %s, want %s", test.seq, got, test.want)
		}
	}
	many := panes.Judge([]string{promise.Once, promise.AllDone, promise.Progress}, promise.Verdict{}, history, 1, say)
	if len(many) != 1 || many[0].Text != "3 more are decided at the end" ||
		!strings.HasSuffix(many[0].Detail, " · Nobody waits forever") {
		t.Errorf("of many it says %+v", many)
	}
	many = panes.Judge([]string{promise.Once, promise.AllDone, promise.Progress, promise.Clean, promise.OneWorker},
		promise.Verdict{}, history, 2, say)
	if len(many) != 1 || many[0].Text != "5 promises are kept" ||
		!strings.HasSuffix(many[0].Detail, " · At most one works on a task") {
		t.Errorf("of many it says %+v in the end", many)
	}
}

// TestBreachesAreCounted checks that a breach says how often it was done in that way, and that the ways differ.
func TestBreachesAreCounted(t *testing.T) {
	say := say(t)
	all := []promise.Violation{
		{Rule: promise.Once, How: promise.Lost, Seq: 1},
		{Rule: promise.Once, How: promise.Twice, Clients: []event.Actor{2}, Seq: 2},
		{Rule: promise.Once, How: promise.Lost, Seq: 3},
		{Rule: promise.Once, How: promise.Lost, Seq: 5},
	}
	for seq, want := range map[event.Seq]string{1: "1 item lost", 2: "1 item taken twice", 3: "2 items lost"} {
		v := panes.Judge([]string{promise.Once}, promise.Verdict{Violations: all}, nil, seq, say)[0]
		if v.Breach != want || !strings.HasPrefix(v.Text, want) {
			t.Errorf("at %d it says %q and %q, want %q", seq, v.Breach, v.Text, want)
		}
	}
}

// TestJudgeTheUnjudged checks that no rule is called kept that the log can't show; a broken one stays broken.
func TestJudgeTheUnjudged(t *testing.T) {
	promises := []string{promise.Integrity, promise.TotalOrder, promise.OneVerdict}
	report := promise.Verdict{Unjudged: promises[:2]}
	got := panes.Judge(promises, report, nil, 1, say(t))
	if len(got) != 2 || got[0].Rule != promise.OneVerdict ||
		got[1].State != "open" || !strings.Contains(got[1].Text, "2") ||
		strings.Count(got[1].Detail, " · ") != 1 {
		t.Errorf("of two of three it says %+v", got)
	}
	report.Violations = []promise.Violation{{Rule: promise.Integrity, Seq: 1}}
	got = panes.Judge(promises, report, nil, 1, say(t))
	if len(got) != 3 || got[0].State != "broken" || got[2].State != "open" || strings.Contains(got[2].Detail, " · ") {
		t.Errorf("of one that is broken before it says %+v", got)
	}
}

// TestNobodyIsFirstAtABarrier checks that a client waiting at a barrier waits for all others, ahead of none.
func TestNobodyIsFirstAtABarrier(t *testing.T) {
	f, waits := history(t, "barrier", 0), 0
	for i := range f.Len() {
		s := f.StateAtSeq(event.Seq(i + 1))
		for _, who := range []string{"client-1", "client-4"} {
			switch got := value(panes.Inspect(s, f.Event(i).At, who, "", say(t)), "in truth"); {
			case got == "waits":
				waits++
			case strings.Contains(got, "first"), strings.Contains(got, "ahead"):
				t.Fatalf("at %v: %s is said to be %q", f.Event(i).At, who, got)
			}
		}
	}
	if waits == 0 {
		t.Error("nobody waits")
	}
}
