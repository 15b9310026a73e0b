package check_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// TestReports: a report lists violations in the order of their events, including those that the rest of the log may
// undo, which don't count as broken yet.
func TestReports(t *testing.T) {
	lines := []struct {
		line   string
		broken bool
		seqs   []event.Seq
	}{
		{"1 produced /q/i-0000000001", false, nil},
		{"1 produced /q/i-0000000002", false, nil},
		{"2 deleted /q/i-0000000002", false, nil},
		{"3 consumed /q/i-0000000001", false, nil},
		{"2 crashed", false, []event.Seq{3}},
		{"4 consumed /q/i-0000000001", true, []event.Seq{3, 6}},
		{"5 consumed /q/i-0000000002", true, []event.Seq{6}},
		{"6 consumed /q/i-0000000002", true, []event.Seq{6, 8}},
	}
	text := ""
	for _, l := range lines {
		text += l.line + "\n"
	}
	c := check.New([]string{promise.Once}, event.Header{})
	for i, e := range script(t, text) {
		c.Append(e)
		var seqs []event.Seq
		for _, v := range c.Report().Violations {
			seqs = append(seqs, v.Seq)
		}
		if l := lines[i]; c.Broken() != l.broken || !reflect.DeepEqual(seqs, l.seqs) {
			t.Errorf("after %q: broken %v by %d, want %v by %d", l.line, c.Broken(), seqs, l.broken, l.seqs)
		}
	}
}

// TestARunEndsOnce: events after the end are judged, but a second end doesn't count.
func TestARunEndsOnce(t *testing.T) {
	for rule, text := range map[string]string{
		promise.Progress: "1 started\n" + stuck,
		promise.Clean:    "1 created /r/a\n" + allDone,
		promise.AllDone:  "1 created /r/a\n2 has-read /r\n2 waiting\n2 exited\n" + allDone,
		promise.Barrier:  "1 waiting\n2 waiting\n3 waiting\n3 passed\n" + stuck,
		promise.Together: "1 passed\n1 leaving\n" + stuck,
		promise.Current:  "1 exited\n" + allDone,
	} {
		events, _ := scriptOfClause(t, text+"\n"+stuck+"\n"+allDone)
		if v := judgeClause(rule, onSim, events); len(v) != 1 {
			t.Errorf("%s is broken %d times in a run that ends three times", rule, len(v))
		}
	}
	events, _ := scriptOfClause(t, allDone+"\n1 holding /l/a\n2 holding /l/b\n"+allDone+"\n1 lost\n3 holding /l/c")
	if v := judgeClause(promise.TruthExclusion, onSim, events); len(v) != 2 {
		t.Errorf("after the end, %d clients got in beside another, want 2", len(v))
	}
}

// TestTheLastClient: clients have numbers up to event.MaxActor; other numbers are not clients.
func TestTheLastClient(t *testing.T) {
	last, beyond := fmt.Sprint(event.MaxActor), fmt.Sprint(event.MaxActor+1)
	for _, c := range []struct {
		rule string
		clause
	}{
		{promise.TruthExclusion, clause{"1 holding /l/a\n...", []string{last + " holding /l/b"},
			[]string{beyond + " holding /l/b", "-1 holding /l/b"}}},
		{promise.BeliefExclusion, clause{"...\n2 holding /l/b", []string{last + " holding /l/b"},
			[]string{beyond + " holding /l/b", "-1 holding /l/b"}}},
		{promise.Fenced, clause{"1 created /l/a\n1 holding /l/a\n...\n1 stores db",
			[]string{last + " created /l/b; " + last + " holding /l/b; " + last + " stores db"}, nil}},
		{promise.Barrier, clause{"...", []string{last + " passed"}, []string{beyond + " passed", "0 passed",
			"-1 passed"}}},
		{promise.MembershipTrue, clause{"...", []string{last + " glances /g; " + last + " saw /g 1"},
			[]string{beyond + " glances /g; " + beyond + " saw /g 1", "0 glances /g; 0 saw /g 1",
				"-1 glances /g; -1 saw /g 1"}}},
		{promise.GivesUpInTime, clause{"...", []string{last + " waiting; " + last + " waits /a"},
			[]string{beyond + " waiting; " + beyond + " waits /a", "-1 waiting; -1 waits /a"}}},
		{promise.RevokedInTime, clause{"...", []string{last + " holding /l/a; 2 changed /l/a; " + last + " released"},
			[]string{beyond + " holding /l/a; 2 changed /l/a; " + beyond + " released",
				"-1 holding /l/a; 2 changed /l/a; -1 released"}}},
		{promise.Together, clause{"...\n1 passed\n1 left", []string{last + " passed"}, []string{beyond + " passed",
			"-1 passed"}}},
		{promise.Progress, clause{"1 started\n...", []string{last + " polls /a 210"},
			[]string{beyond + " polls /a 210", "-1 polls /a 210"}}},
	} {
		judgeClauses(t, c.rule, onSim, []clause{c.clause})
	}
}

// TestLongLists: a violation names at most three clients or znodes, counts the others, and lists 32 clients.
func TestLongLists(t *testing.T) {
	many := func(line string, n int) (text string) {
		for i := range n {
			text += fmt.Sprintf(line+"\n", i+1)
		}
		return text
	}
	for _, c := range []struct {
		rule, script string
		h            host
		listed       int
		text         string
	}{
		{promise.TruthExclusion, many("%d holding", 3) + "7 holding", onSim, 4,
			"client-7 entered at 0.0 s while client-1, client-2 and client-3 were inside, the first since 0.0 s, their " +
				"sessions alive"},
		{promise.TruthExclusion, many("%d holding", 40) + "77 holding", onSim, 33,
			"client-77 entered at 0.0 s while client-1, client-2, client-3 and 37 others were inside, the first since 0.0 s, " +
				"their sessions alive"},
		{promise.BeliefExclusion, many("%d holding", 4) + "7 holding", onSim, 5,
			"client-7 entered at 0.0 s while client-1, client-2, client-3 and client-4 still believed that they were inside" +
				"; client-1 had entered at 0.0 s and hadn't left; client-2 had entered at 0.0 s and hadn't left; client-3 " +
				"had entered at 0.0 s and hadn't left"},
		{promise.BeliefExclusion, "1 holding /l/a\n@1s\n1 closed\n7 holding", onSim, 2,
			"client-7 entered at 1.0 s while client-1 still believed that it was inside; client-1's session had been closed " +
				"at 1.0 s"},
		{promise.BeliefExclusion, "1 holding /l/a\n2 deleted /l/a\n3 deleted /l/a\n7 holding", onSim, 2,
			"client-7 entered at 0.0 s while client-1 still believed that it was inside; client-1's znode had been deleted " +
				"because of client-3"},
		{promise.BeliefExclusion, "1 holding /l/a\n2 deleted /l/a\n1 deleted /l/a\n7 holding", onSim, 2,
			"client-7 entered at 0.0 s while client-1 still believed that it was inside; client-1's znode had been deleted " +
				"because of client-2"},
		{promise.BeliefExclusion,
			"1 holding /l/a\n2 deleted /l/a\n2 deleted /l/a\n1 deleted /l/a\n1 deleted /l/a\n7 holding", onSim, 2,
			"client-7 entered at 0.0 s while client-1 still believed that it was inside; client-1's znode had been deleted " +
				"because of client-2"},
		{promise.BeliefExclusion, "2 deleted /l/a\n1 holding /l/a\n7 holding", onSim, 2,
			"client-7 entered at 0.0 s while client-1 still believed that it was inside; client-1 had entered at 0.0 s and " +
				"hadn't left"},
		{promise.BeliefExclusion, "3 reading /l/a\n2 deleted /l/a\n1 holding /l/a\n7 holding", onSim, 2,
			"client-7 entered at 0.0 s while client-1 still believed that it was inside; client-1 had entered at 0.0 s and " +
				"hadn't left"},
		{promise.Barrier, "1 passed", host{"sim", 5}, 5,
			"client-1 passed at 0.0 s, when 1 of 5 had arrived; client-2, client-3, client-4 and client-5 hadn't"},
		{promise.Barrier, "1 passed", host{"sim", 50}, 33,
			"client-1 passed at 0.0 s, when 1 of 50 had arrived; client-2, client-3, client-4 and 46 others hadn't"},
		{promise.Barrier, many("%d waiting", 40) + "50 waiting\n50 passed\n" + stuck, host{"sim", 41}, 32,
			"client-1, client-2, client-3 and 37 others wait forever at a barrier that has let others through"},
		{promise.Together, many("%d passed", 40) + "50 passed\n50 left", onSim, 33,
			"client-50 left at 0.0 s, when client-1, client-2, client-3 and 37 others hadn't done all of it"},
		{promise.Together, many("%d leaving", 40) + many("%d passed", 40) + many("%d leaving", 40) + stuck, onSim, 32,
			"in the end the only one that keeps client-1, client-2, client-3 and 37 others from going on with the others " +
				"is dead"},
		{promise.Progress, many("%d started", 40) + stuck, onSim, 32,
			"client-1, client-2, client-3 and 37 others wait forever: at 0.0 s nothing is left that could wake anybody"},
		{promise.Clean, many("%[1]d created /r/n%02[1]d", 40) + allDone, onSim, 32,
			"everybody has gone, but n01, n02, n03 and 37 others are still there, made by client-1, client-2, client-3 and 37 " +
				"others"},
		{promise.Clean, "1 created /r/a\n1 created /r/b\n" + allDone, onSim, 1,
			"everybody has gone, but a and b are still there, made by client-1"},
		{promise.TruthExclusion,
			"1 holding /l/a\n2 holding /l/b\n@1s\n3 holding /l/c\n@2s\n1 closed\n2 closed\n3 closed", onLive, 2,
			"client-3 entered at 1.0 s while client-2 had been inside since 0.0 s, its session alive"},
		{promise.Fenced,
			"1 created /l/a\n1 holding /l/a\n2 created /l/b\n2 holding /l/b\n2 stores db\n1 closed\n1 stores db",
			onSim, 2, "db took a write from client-1 at 0.0 s, after one from client-2, which had got in later"},
		{promise.AllDone, many("50 created /r/n%02d", 40) + "1 has-read /r\n1 waiting\n1 exited\n" + allDone, onSim,
			1,
			"everybody is done, but n01, n02, n03 and 37 others aren't: n01 had been there since 0.0 s, and client-1 still " +
				"went home at 0.0 s"},
		{promise.AllDone, "50 created /r/a\n" + many("%[1]d has-read /r\n%[1]d waiting\n%[1]d exited", 40) + allDone,
			onSim, 32,
			"everybody is done, but a isn't: a had been there since 0.0 s, and client-1 still went home at 0.0 s"},
		{promise.Current, many("%[1]d peeks /c\n%[1]d saw /c\n%[1]d exited", 40) + "50 writes /c\n" + allDone, onSim,
			32,
			"in the end client-1, client-2, client-3 and 37 others hadn't seen the latest of c: client-1 looked last at 0.0 " +
				"s, and client-50 changed it at 0.0 s"},
	} {
		events, _ := scriptOfClause(t, c.script)
		list := judgeClause(c.rule, c.h, events)
		if len(list) == 0 {
			t.Errorf("%s is not broken: %s", c.rule, c.text)
			continue
		}
		if v := list[len(list)-1]; len(v.Clients) != c.listed || said(v.Sentence) != c.text ||
			!slices.IsSorted(v.Clients[1:]) {
			t.Errorf("%s, %d clients:\n%s\nwant %d:\n%s", c.rule, len(v.Clients), said(v.Sentence), c.listed, c.text)
		}
	}
}

// TestAgreedRemembersSoMany transactions, and judges only those.
func TestAgreedRemembersSoMany(t *testing.T) {
	const most = 1 << 16
	c := check.New([]string{promise.Agreed}, event.Header{})
	for _, phase := range []program.Phase{program.Committed, program.Aborted} {
		for _, i := range []int{0, most - 1, most} {
			for n := range most + 1 {
				if phase == program.Committed && i == 0 || n == i && phase == program.Aborted {
					c.Append(event.Event{Seq: event.Seq(n + 1), Kind: event.RecipePhase, Actor: 1,
						Text: string(phase), Path: fmt.Sprint("/t/", n)})
				}
			}
		}
	}
	if n := len(c.Report().Violations); n != 2 {
		t.Errorf("of the first, the last and the one after it %d are judged, want 2", n)
	}
}
