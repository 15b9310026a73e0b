package lessons_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/lessons"
)

// twoLessons are one with four clients and two with two, whose sessions last for 1,500 s. The second step of
// one has these words.
func twoLessons(words string) fstest.MapFS {
	m := oneLesson(`"focus": ["root"]`)
	facts, md := string(m["one/facts.json"].Data), string(m["one/en.md"].Data)
	two := strings.Replace(facts, `{"clients": 4}`, `{"clients": 2, "session_timeout": "1500s"}`, 1)
	m["course.txt"] = &fstest.MapFile{Data: []byte("one\ntwo\n")}
	m["two/facts.json"] = &fstest.MapFile{Data: []byte(two)}
	m["two/en.md"] = &fstest.MapFile{Data: []byte(md)}
	one := strings.Replace(md, "Two\nWords.", "Two\n"+words, 1) + "[Next](lesson:two).\n"
	m["one/en.md"] = &fstest.MapFile{Data: []byte(one)}
	return m
}

func TestHolesAreFilled(t *testing.T) {
	for words, want := range map[string]string{
		"{= clients} wait":         "4 wait",
		"{=clients} wait":          "4 wait",
		"{= clients } wait":        "4 wait",
		"{= clients}{= clients}":   "44",
		"{four = clients} wait":    "four wait",
		"{Four = clients} wait":    "Four wait",
		"{ four = clients} wait":   "four wait",
		"{4 = clients} wait":       "4 wait",
		"{= holder/1} is inside":   "A is inside",
		"{A = holder/1} is inside": "A is inside",
		"{a = holder/1} is inside": "a is inside",
		"{no = failed-sets} fail":  "no fail",
		"{two = clients@two} wait": "two wait",
		"{= clients@one} wait":     "4 wait",

		"{= session-seconds@two} s": "1,500 s",
		"{= session-seconds} s":     "10 s",
	} {
		b, err := lessons.OpenFS(t.Context(), twoLessons(words))
		if err != nil {
			t.Errorf("%s: %v", words, err)
			continue
		}
		p, _ := b.Page("one", "en")
		if s := p.Steps[1]; s.Text != want || s.HTML != "<p>"+want+"</p>" {
			t.Errorf("%s becomes %q and %q, not %q", words, s.Text, s.HTML, want)
		}
	}
}

func TestHolesAreRefused(t *testing.T) {
	for words, want := range map[string]string{
		"{clients} wait":               `a brace must belong to a {= measure}, in "{clients} wait"`,
		"clients} wait":                `a brace must belong to a {= measure}, in "clients} wait"`,
		"{= clients wait":              `a brace must belong to a {= measure}, in "{= clients wait"`,
		"{= Clients} wait":             "a brace must belong to a {= measure}",
		"{= clients/1} wait":           "{= clients/1}: measure clients takes 0 arguments, not 1",
		"{= waiters} wait":             `{= waiters}: unknown measure "waiters"`,
		"{= hears/5}":                  "{= hears/5}: there are only 4 clients",
		"{= hears/3@two}":              "{= hears/3@two}: there are only 2 clients",
		"{= clients@three} wait":       "{= clients@three}: there is no lesson three",
		"{= hears/0}":                  `"0" is not a client's number`,
		"{= clients} [a](lesson:none)": `the link "lesson:none" leads nowhere`,
	} {
		_, err := lessons.Load(twoLessons(words))
		if !refuses(err, "one/en.md:7: step s2: ", want) {
			t.Errorf("%s: the error is %v, which does not say %q", words, err, want)
		}
	}
}

// TestHolesSayWhatIsTrue: words that the run contradicts are refused, with the true value.
func TestHolesSayWhatIsTrue(t *testing.T) {
	for words, want := range map[string]string{
		"{five = clients} wait":      "{five = clients}: the words say five, but the run says 4",
		"{5 = clients} wait":         "{5 = clients}: the words say 5, but the run says 4",
		"{fore = clients} wait":      "{fore = clients}: the words say fore, but the run says 4",
		"{B = holder/1}":             "{B = holder/1}: the words say B, but the run says A",
		"{four = clients@two}":       "{four = clients@two}: the words say four, but the run says 2",
		"{five = place@two}":         "{five = place@two}: the words say five, but the run says 2",
		"{= holder/9}":               "{= holder/9}: holder/9: the run has no such thing",
		"{= told-of/x} {= holder/9}": "{= told-of/x}: told-of/x: the run has no such thing",
	} {
		_, err := lessons.OpenFS(t.Context(), twoLessons(words))
		if err == nil || !strings.Contains(err.Error(), "one/en.md: step s2: "+want) {
			t.Errorf("%s: the error is %v, which does not say %q", words, err, want)
		}
	}
}

// TestTotalsAreTold: a step that gives a running total says so where the stage has reached it.
func TestTotalsAreTold(t *testing.T) {
	hole := regexp.MustCompile(`\{[^{}=]*=\s*(requests|acquisitions|published|worked-off|failed-sets|polls)\s*\}`)
	b, told := open(t), 0
	for i := range b.Lessons {
		l := &b.Lessons[i]
		whole := b.RunOf(l.Slug)
		for k, s := range l.Prose[lessons.Source].Steps {
			for _, m := range hole.FindAllStringSubmatch(s.Body, -1) {
				told++
				at, so := whole.Positions[k], event.Log{Header: whole.Log.Header}
				for _, e := range whole.Log.Events {
					if e.Seq <= at.Seq || e.At <= at.At {
						so.Append(e)
					}
				}
				sofar, err := l.Read(&so)
				if err != nil {
					t.Fatal(err)
				}
				if now, end := valueOf(t, m[1], sofar), valueOf(t, m[1], whole); now != end {
					t.Errorf("%s/%s says of %s that they are %s, and by then there are %s", l.Slug, s.Anchor, m[1], end, now)
				}
			}
		}
	}
	if told == 0 {
		t.Error("no lesson tells of any total")
	}
}

func valueOf(t *testing.T, measure string, r *lessons.Run) string {
	t.Helper()
	m, err := lessons.ParseMeasure(measure)
	if err != nil {
		t.Fatal(err)
	}
	v, err := m.Of(r)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
