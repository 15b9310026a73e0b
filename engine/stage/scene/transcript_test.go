package scene_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/static/strings/words"
)

// conversation is A and B in a database: A locks a row, B waits for it, and the database restarts.
func conversation(polls int) *view.State {
	f := farRun(3, onePostgre).named("")
	ask := func(who event.Actor, at time.Duration, sql string) { f.at(at).asks(who, 1, "stock/tickets", sql) }
	done := func(who event.Actor, at time.Duration, result string, code int32) {
		f.at(at).put(event.Event{Kind: event.OpDone, Actor: who, Peer: event.Node(1), Op: event.Command, Text: result,
			Code: code})
	}
	ask(1, 1*time.Second, "BEGIN")
	done(1, 1100*time.Millisecond, "BEGIN", 0)
	f.begins(1, 5, "")
	ask(1, 2*time.Second, "SELECT n FROM stock WHERE id = 'tickets' FOR UPDATE")
	done(1, 2100*time.Millisecond, "4", 0)
	ask(2, 3*time.Second, "SELECT n FROM stock WHERE id = 'tickets' FOR UPDATE")
	for i := range polls {
		at := 3100*time.Millisecond + time.Duration(i)*10*time.Millisecond
		ask(3, at, "SELECT 1")
		done(3, at+time.Millisecond, "1", 0)
	}
	ask(1, 5*time.Second, "UPDATE stock SET n = 3, version = version + 1 WHERE id = 'tickets' AND version = 1")
	return f.end()
}

func transcriptOf(s *view.State, st stage) string {
	var l scene.Layout
	var lines []string
	p := l.Plan(s, now, scene.Options{Words: english, Width: st.width, Height: st.height, Theme: display.Light()})
	for _, m := range p.Marks() {
		if m.Kind == mark.SQL {
			lines = append(lines, fmt.Sprintf("%s %s", m.Subject, m.Value))
		}
	}
	return strings.Join(lines, "\n")
}

// TestTranscript checks what is read below the clients of a database: each statement in the order of time, its result
// behind it if nothing happened between them, and a waiting statement for as long as it waits.
func TestTranscript(t *testing.T) {
	wide := stage{"", 1400, 788}
	refused := conversation(0)
	refused.Apply(event.Event{Kind: event.OpRefused, Seq: 1000, At: 6 * time.Second, Actor: 3, Peer: event.Node(1),
		Op: event.Command, Text: "COMMIT", Reason: event.ConnLost})
	for name, c := range map[string]struct {
		s     *view.State
		stage stage
		want  string
	}{
		"two sessions": {conversation(0), wide, "A BEGIN\nA WHERE id = 'tickets' FOR UPDATE → 4\n" +
			"B WHERE id = 'tickets' FOR UPDATE\nA UPDATE … n = 3 … version = 1"},
		"slim": {conversation(0), stage{"", 390, 338}, "A BEGIN\nA FOR UPDATE → 4\nB id = … FOR UPDATE\nA UPDATE"},
		"B's wait is out of the rows": {conversation(9), wide, "B WHERE id = 'tickets' FOR UPDATE\n" +
			strings.Repeat("C SELECT 1 → 1\n", 4) + "A UPDATE … n = 3 … version = 1"},
		"C's COMMIT is refused, unsent": {refused, stage{"", 390, 338}, "A BEGIN\nA FOR UPDATE → 4\n" +
			"B id = … FOR UPDATE\nA UPDATE\nC COMMIT → refused"},
		"the result has a line of its own": {conversation(0), stage{"", 800, 788}, "A BEGIN\n" +
			"A WHERE id = 'tickets' FOR UPDATE\nA → 4\nB WHERE id = 'tickets' FOR UPDATE\nA UPDATE … n = 3 … version = 1"},
		"no room": {conversation(0), stage{"", 200, 400}, ""},
		"Redis":   {keyHeld(2, 10*time.Second).end(), wide, ""},
	} {
		if got := transcriptOf(c.s, c.stage); got != c.want {
			t.Errorf("%s: the transcript is\n%s\nnot\n%s", name, got, c.want)
		}
	}
}

// TestTranscriptOnAPhone checks that a narrow column keeps what a statement is about: the column by which it looks for
// rows, what it sets, or its condition, and always its result, at the statement's expense.
func TestTranscriptOnAPhone(t *testing.T) {
	for name, c := range map[string]struct {
		clients     int
		sql, result string
		want        string
	}{
		"by task": {3, "SELECT id, task FROM jobs WHERE task = 'print A' FOR UPDATE", "1 | print A",
			"A WHERE task = …\nA → 1 | print A"},
		"by id": {3, "SELECT id, task FROM jobs WHERE id = 1 FOR UPDATE", "1 | print A",
			"A id = 1 FOR UPDATE\nA → 1 | print A"},
		"in one step": {2, "UPDATE stock SET n = n - 1, version = version + 1 WHERE id = 'tickets'", "UPDATE 1",
			"A n = n - 1 → UPDATE 1"},
		"if unchanged": {2, "UPDATE stock SET n = 1, version = version + 1 WHERE id = 'tickets' AND version = 1", "UPDATE 0",
			"A version = 1 → UPDATE 0"},
		"none is new": {4, "INSERT INTO locks (name) VALUES ('night-1') ON CONFLICT DO NOTHING", "INSERT 0 0",
			"A → INSERT 0 0"},
		"a hundred are new": {4, "INSERT INTO jobs SELECT generate_series(1, 100)", "INSERT 0 100", "A INSERT 0 100"},
	} {
		f := farRun(c.clients, onePostgre).named("")
		f.at(time.Second).asks(1, 1, "stock/tickets", c.sql)
		f.at(1100 * time.Millisecond).put(event.Event{Kind: event.OpDone, Actor: 1, Peer: event.Node(1), Op: event.Command,
			Text: c.result})
		if got := transcriptOf(f.end(), half); got != c.want {
			t.Errorf("%s: the transcript is\n%s\nnot\n%s", name, got, c.want)
		}
	}
}

// TestWaitingStatementsAreSeen checks in runs of the whole catalogue that a transcript shows each statement that
// waits, and that a client has no more than one: the fold takes a result for that of the latest.
func TestWaitingStatementsAreSeen(t *testing.T) {
	var l scene.Layout
	drawn := 0
	moments(t, 16, func(m *moment) {
		for _, st := range stages {
			seen := map[string]bool{}
			p := l.Plan(m.state, m.at, scene.Options{Words: english, Width: st.width, Height: st.height, Theme: display.Light()})
			for _, mark := range p.Marks() {
				if mark.Is("sql *") && !strings.HasPrefix(mark.Value, "→") {
					seen[mark.Subject] = true
				}
			}
			waits := map[event.Actor]bool{}
			for _, x := range m.state.Remotes.Transcript {
				if who := x.Client.Letter(); !x.Over && len(seen) > 0 && !seen[who] {
					t.Errorf("%v, %s: %s waits unseen for %q", m, st.name, who, x.Text)
				}
				if !x.Over && waits[x.Client] {
					t.Errorf("%v: %s waits for two statements at once, %q is the later", m, x.Client.Letter(), x.Text)
				}
				waits[x.Client] = waits[x.Client] || !x.Over
			}
			drawn += len(seen)
		}
	})
	if drawn == 0 {
		t.Error("no transcript was drawn")
	}
}

// TestWordsBesideClients checks that the clients of a database have their words on half of a phone's stage, too, beside
// them: there is no room below. A word that would reach the next client is left out.
func TestWordsBesideClients(t *testing.T) {
	for _, c := range []struct {
		words words.Words
		says  bool
	}{{english, true}, {pseudo, false}} {
		var l scene.Layout
		marks := l.Plan(database(4), now, scene.Options{Words: c.words, Width: half.width, Height: half.height,
			Theme: display.Light()}).Marks()
		for _, want := range []string{"A holding", "B waiting", "C waiting", "D waiting"} {
			if c.says && !slices.ContainsFunc(marks, func(m mark.Mark) bool { return m.Is("state " + want) }) {
				t.Errorf("nothing says state %s", want)
			}
		}
		for _, m := range marks {
			for _, other := range marks {
				if m.Kind == mark.State && other.Kind == mark.Client && m.Subject != other.Subject && m.X < other.X+other.W &&
					other.X < m.X+m.W && m.Y < other.Y+other.H && other.Y < m.Y+m.H {
					t.Errorf("the word of %s covers %s", m.Subject, other.Subject)
				}
			}
		}
	}
}

// TestWritesPassBehindTheTranscript checks that the path of a write to the store doesn't cross what clients say to the
// database.
func TestWritesPassBehindTheTranscript(t *testing.T) {
	s := stored(conversation(0), event.StoreLines, "A x")
	theme := display.Light()
	var f scene.Frame
	f.Draw(s, now, scene.Options{Words: english, Width: 1400, Height: 788, Theme: theme, Still: true})
	way, first := -1, -1
	for i, o := range f.Ops {
		switch {
		case o.Kind == display.Line && o.Stroke == theme.Of(0) && o.X == o.X3 && o.Y3-o.Y > 100:
			way = i
		case first < 0 && o.Kind == display.Text && o.Mono && o.Text == "BEGIN":
			first = i
		}
	}
	if way < 0 || first < way {
		t.Errorf("the path is shape %d, and the transcript begins with shape %d", way, first)
	}
}
