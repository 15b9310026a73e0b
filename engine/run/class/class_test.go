package class

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/testing/golden"
)

const (
	aName   = "kdm3f7"
	aSecret = "a secret that is long enough"
)

var aMonday = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// script plays a class and writes what it says.
type script struct {
	room  *Room
	now   time.Time
	log   []Entry
	known map[string]*Known
	out   strings.Builder
}

func newScript(t testing.TB) *script {
	s := &script{room: NewRoom(), now: aMonday, known: map[string]*Known{}}
	e, err := Begin(aName, aSecret, Place{Page: "/lessons/the-herd"}, s.now)
	if err != nil {
		t.Fatal(err)
	}
	s.apply(e)
	return s
}

func (s *script) apply(e Entry) {
	s.log = append(s.log, e)
	s.room.Apply(e)
}

// key returns a learner's key.
func key(name string) string { return name + strings.Repeat("-", minKey) }

// party returns who a script means: t, a teacher, or a learner by name.
func (s *script) party(name string) (p Party) {
	if p.Teacher = name == "t"; !p.Teacher {
		s.room.Read(func(st *State, _ *Presence) { p.Learner, _ = st.ByKey(key(name)) })
	}
	return p
}

// line carries out one line: WHO JSON is a command, "WHO follows" and "WHO lets go" say where they are, "WHO is gone"
// that nothing connects them, and "WHO sees" prints what is new for them.
func (s *script) line(t testing.TB, line string) {
	who, what, _ := strings.Cut(line, " ")
	p := s.party(who)
	switch {
	case what == "follows", what == "lets go":
		s.room.Follow(who, p.Learner, what == "follows")
	case what == "is gone":
		s.room.Drop(who)
	case what == "sees":
		k := s.known[who]
		if k == nil {
			k = new(Known)
			s.known[who] = k
		}
		for _, view := range s.room.News(p, k) {
			fmt.Fprintf(&s.out, "  %s\n", view)
		}
	default:
		s.command(t, who, p, what)
	}
}

func (s *script) command(t testing.TB, who string, p Party, text string) {
	if strings.Contains(text, `"join"`) {
		text = strings.Replace(text, "}", fmt.Sprintf(`,"key":%q}`, key(who)), 1)
	}
	c, err := ParseRequest([]byte(text))
	var e Entry
	if err == nil {
		e, err = s.room.Take(p, c.Command, s.now)
	}
	switch {
	case err != nil:
		fmt.Fprintf(&s.out, "  refused: %s\n", sentence.From(err))
	case e.Kind == "":
		fmt.Fprintln(&s.out, "  nothing new")
	default:
		entry := AppendEntry(nil, e)
		back, err := ReadEntry(entry)
		if err != nil {
			t.Fatal(err)
		}
		s.apply(back)
		fmt.Fprintf(&s.out, "  entry %d: %s\n", len(s.log), entry)
	}
}

// results prints what a teacher saves.
func (s *script) results(t testing.TB) {
	s.room.Read(func(st *State, _ *Presence) {
		r := st.Results()
		if err := r.WriteCSV(&s.out); err != nil {
			t.Fatal(err)
		}
		text, err := json.MarshalIndent(r, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		s.out.Write(append(text, '\n'))
	})
}

func TestGoldenClass(t *testing.T) {
	s := newScript(t)
	golden.Script(t, "testdata/class", func(t *testing.T, d *datadriven.TestData) string {
		s.out.Reset()
		if d.Cmd == "later" {
			span, err := time.ParseDuration(d.CmdArgs[0].Key)
			if err != nil {
				t.Fatal(err)
			}
			s.now = s.now.Add(span)
			return ""
		}
		if d.Cmd == "results" {
			s.results(t)
			return s.out.String()
		}
		for line := range strings.Lines(d.Input) {
			fmt.Fprint(&s.out, line)
			if !strings.HasSuffix(line, "\n") {
				s.out.WriteByte('\n')
			}
			s.line(t, strings.TrimSpace(line))
		}
		return s.out.String()
	})
	again := NewRoom()
	for _, e := range s.log {
		again.Apply(e)
	}
	if got, want := all(again), all(s.room); got != want {
		t.Errorf("another server makes of the log\n%s\nwant\n%s", got, want)
	}
}

// all returns all that a log says, apart from who is connected.
func all(r *Room) (text string) {
	r.Read(func(s *State, _ *Presence) {
		var nobody Presence
		b, _ := json.Marshal([]any{s.About(&nobody, true), s.Place, s.Learners, s.Asked, s.Tasks, s.Dots(&nobody),
			s.Lock, s.Ended})
		text = string(b)
	})
	return text
}

// TestLimits checks that each limit of a class is one: as much is taken, and one more is refused.
func TestLimits(t *testing.T) {
	s := newScript(t)
	take := func(who string, format string, args ...any) error {
		c, err := ParseRequest(fmt.Appendf(nil, format, args...))
		if err != nil {
			return err
		}
		e, err := s.room.Take(s.party(who), c.Command, s.now)
		if err == nil && e.Kind != "" {
			s.apply(e)
		}
		return err
	}
	full := func(what string, most int, one func(i int) error) {
		t.Helper()
		for i := range most {
			if err := one(i); err != nil {
				t.Fatalf("%s: number %d of %d: %v", what, i+1, most, err)
			}
		}
		if err := one(most); err == nil {
			t.Errorf("%s: there may be more than %d", what, most)
		}
	}
	full("learners", MaxLearners, func(i int) error {
		return take("-", `{"do":"join","key":%q}`, key("l"+strconv.Itoa(i)))
	})
	for i := range MaxTasks {
		if err := take("l"+strconv.Itoa(i%7), `{"do":"tell","deed":{"task":"task %d","count":3}}`, i); err != nil {
			t.Fatal(err)
		}
	}
	if err := take("l1", `{"do":"tell","deed":{"task":"another","count":3}}`); err == nil {
		t.Errorf("there may be more than %d tasks", MaxTasks)
	}
	if err := take("t", `{"do":"pose","question":{"id":"q/1","choices":2}}`); err != nil {
		t.Fatal(err)
	}
	full("changes of an answer", MaxChanges, func(i int) error {
		return take("l1", `{"do":"answer","number":1,"choice":%d}`, i%2)
	})
	full("questions", MaxQuestions-1, func(int) error {
		return take("t", `{"do":"pose","question":{"id":"q/1","choices":2}}`)
	})
	if s.now = s.now.Add(MaxAge + time.Second); take("t", `{"do":"call"}`) == nil {
		t.Errorf("a class lasts longer than %v", MaxAge)
	}
}

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		name := NewName()
		if !IsName(name) || seen[name] {
			t.Fatalf("%q isn't a name, or came before", name)
		}
		seen[name] = true
	}
	for _, no := range []string{"", "abc", "kdm3f", "kdm3f71", "KDM3F7", "kdm3fe", "kdm3f/", "kdm3f\n"} {
		if IsName(no) {
			t.Errorf("%q is taken for a name", no)
		}
	}
	if a, b := NewSecret(), NewSecret(); a == b || len(a) < 26 {
		t.Errorf("two secrets are %q and %q", a, b)
	}
	if h := HashOf("a", "b"); !h.Is("a", "b") || h.Is("a", "c") || h.Is("b", "b") || Hash("").Is("a", "") {
		t.Error("a hash takes another secret, or refuses its own")
	}
}

// TestRoomForTeachers checks that learners can't use up what a class may still write down: its teacher goes on longer,
// and can end it in any case.
func TestRoomForTeachers(t *testing.T) {
	s := newScript(t)
	take := func(who Party, c Command) error {
		_, err := s.room.Take(who, c, s.now)
		return err
	}
	learner, call, end := Command{Do: Join, Key: key("ana")}, Command{Do: Call}, Command{Do: End}
	teacher := Party{Teacher: true}
	for _, c := range []struct {
		entries             int
		joins, calls, stops bool
	}{
		{MaxEntries - ForTeachers - 1, true, true, true},
		{MaxEntries - ForTeachers, false, true, true},
		{MaxEntries - 1, false, true, true},
		{MaxEntries, false, false, true},
	} {
		s.room.state.Entries = c.entries
		joins, calls, stops := take(Party{}, learner) == nil, take(teacher, call) == nil, take(teacher, end) == nil
		if joins != c.joins || calls != c.calls || stops != c.stops {
			t.Errorf("with %d entries, one joins: %v, a teacher calls: %v, and ends it: %v", c.entries, joins, calls, stops)
		}
	}
}
