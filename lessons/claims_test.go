package lessons_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/lessons"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// TestClaims compares each step's claims with the log and with the planned picture, where the step stops. Who is
// inside also holds at the step's event, before the motion that follows.
func TestClaims(t *testing.T) {
	b := open(t)
	for i := range b.Lessons {
		l, r := &b.Lessons[i], b.RunOf(b.Lessons[i].Slug)
		var history *view.History = player.Of(r.Log).Log.Shown().History()
		for j := range l.Steps {
			s, pos := &l.Steps[j], r.Positions[j]
			stops, _, _ := r.StateAt(s.Anchor)
			lead := moment{stops, r.Report.Verdict, history, pos.At}
			motion := lead
			motion.state = view.NewFor(r.Log.Header)
			for _, e := range r.Log.Events[:pos.Seq] {
				motion.state.Apply(e)
			}
			other := besideOf(s, r)
			if first, _ := s.Pair(r); first != nil && first.State().Seq != stops.Seq {
				t.Errorf("%s/%s: of the two runs the first is shown at event %d, the lesson stops at %d",
					l.Slug, s.Anchor, first.State().Seq, stops.Seq)
			}
			for _, c := range s.Claims {
				at := fmt.Sprintf("%s/%s", l.Slug, s.Anchor)
				if c.Beside {
					other.holds(t, at+", beside", s, c)
					continue
				}
				lead.holds(t, at, s, c)
				if c.Kind == "inside" || c.Kind == "believes" {
					motion.holds(t, at+", before its motion", s, c)
				}
			}
			for _, v := range s.Values {
				with := *s
				with.Beside = v.Beside
				for _, c := range v.Claims {
					m := lead
					if c.Beside {
						m = besideOf(&with, r)
					}
					m.holds(t, fmt.Sprintf("%s/%s, with %s", l.Slug, s.Anchor, v.ID), s, c)
				}
			}
		}
	}
}

// moment is what is known about a run where a step stops, with the time to show.
type moment struct {
	state   *view.State
	verdict promise.Verdict
	history *view.History
	at      time.Duration
}

// besideOf returns the moment of the run beside the lesson's, the zero value if there is none.
func besideOf(s *lessons.Step, r *lessons.Run) moment {
	_, pair := s.Pair(r)
	if pair == nil {
		return moment{}
	}
	var p *player.Player = pair.Other()
	return moment{p.State(), p.Log.Shown().Verdict(), p.Log.Shown().History(), p.Head.At()}
}

func (m moment) holds(t *testing.T, at string, s *lessons.Step, c lessons.Claim) {
	t.Helper()
	if fault := c.Refute(m.state, m.verdict, m.state.Seq); fault != "" {
		t.Errorf("%s: %s", at, fault)
	}
	if fault := c.Judged(m.verdicts()); fault != "" {
		t.Errorf("%s: %s", at, fault)
	}
	var layout scene.Layout
	o := stages[0]
	o.Words, o.Focus, o.Stood = uistrings.English(), s.Focus, m.at
	if fault := c.Seen(layout.Plan(m.state, m.at, o).Marks()); fault != "" {
		t.Errorf("%s: %s", at, fault)
	}
}

// verdicts returns what the page lists below the stage.
func (m moment) verdicts() (lines []string) {
	rules := m.state.Header.Rules()
	for _, v := range panes.Judge(rules, m.verdict, m.history, m.state.Seq, uistrings.English().Say) {
		lines = append(lines, v.Text)
	}
	return lines
}

// judgedWords matches words that point at the verdict.
var judgedWords = regexp.MustCompile(`\bbelow the (stage|picture)|\bBelow the stage|\blist below\b`)

// insideWords matches clients that the words call inside, in the present tense.
var insideWords = regexp.MustCompile(`\b([A-Z](?:(?:, [A-Z])*,? and [A-Z])?) (?:is|are) (?:all )?inside\b`)

// TestWordsAreClaimed compares the words with the claims: clients that they call inside are claimed to be, or to
// believe so, and each number in them is filled from the run, claimed, or allowed by the step. Every step claims
// something.
func TestWordsAreClaimed(t *testing.T) {
	b := open(t)
	for i := range b.Lessons {
		l := &b.Lessons[i]
		for _, fault := range unclaimedIn(l) {
			t.Errorf("%s/%s", l.Slug, fault)
		}
	}
}

func unclaimedIn(l *lessons.Lesson) (faults []string) {
	for j := range l.Steps {
		s, words := &l.Steps[j], &l.Prose[lessons.Source].Steps[j]
		faults = append(faults, unclaimedBy(l, s, words.Body)...)
		for _, v := range s.Values {
			with := *s
			with.Anchor, with.Claims = s.Anchor+", with "+v.ID, v.Claims
			faults = append(faults, unclaimedBy(l, &with, words.Values[v.ID].Why)...)
		}
	}
	return faults
}

// unclaimedBy returns what words say that a step doesn't claim.
func unclaimedBy(l *lessons.Lesson, s *lessons.Step, words string) (faults []string) {
	if len(s.Claims) == 0 {
		faults = append(faults, s.Anchor+": it claims nothing")
	}
	var in []string
	for _, c := range s.Claims {
		if c.Kind == "inside" || c.Kind == "believes" {
			in = append(in, strings.Fields(c.Text)...)
		}
	}
	for _, m := range insideWords.FindAllStringSubmatch(words, -1) {
		for _, who := range regexp.MustCompile(`\b[A-Z]\b`).FindAllString(m[1], -1) {
			if !slices.Contains(in, who) {
				faults = append(faults, fmt.Sprintf("%s: %q is not claimed", s.Anchor, m[0]))
			}
		}
	}
	judged := func(c lessons.Claim) bool { return c.Kind == "verdict" }
	if m := judgedWords.FindString(words); m != "" && !slices.ContainsFunc(s.Claims, judged) {
		faults = append(faults, fmt.Sprintf("%s: %q points at the verdict, of which nothing is claimed", s.Anchor, m))
	}
	for _, n := range numbersIn(words, s.Numbers) {
		if !claimsNumber(l, s, n) {
			faults = append(faults, fmt.Sprintf("%s: the number %s is neither filled nor claimed", s.Anchor, n))
		}
	}
	return faults
}

// TestTotalsAreOnTheStage: a step that gives the requests or wakeups of its run stops where the stage has reached
// that number, unless its words say that it is so by the end.
func TestTotalsAreOnTheStage(t *testing.T) {
	b := open(t)
	total := regexp.MustCompile(`\{[^{}@]*= *(requests|wakeups) *\}`)
	for i := range b.Lessons {
		l, r := &b.Lessons[i], b.RunOf(b.Lessons[i].Slug)
		for j := range l.Steps {
			body, anchor := l.Prose[lessons.Source].Steps[j].Body, l.Steps[j].Anchor
			s, _, _ := r.StateAt(anchor)
			shown := map[string]int{"requests": s.Counts.Requests, "wakeups": s.Clients.Woken()}
			for _, m := range total.FindAllStringSubmatch(body, -1) {
				if n := valueIn(t, r, m[1]); n != strconv.Itoa(shown[m[1]]) &&
					!strings.Contains(strings.ToLower(body), "by the end") {
					t.Errorf("%s/%s: the words say %s %s, the stage %d", l.Slug, anchor, n, m[1], shown[m[1]])
				}
			}
		}
	}
}

// spelt lists the words for numbers from two on: one is a pronoun more often than a number.
var spelt = strings.Fields("two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
	"sixteen seventeen eighteen nineteen twenty")

var (
	filled   = regexp.MustCompile(`\{[^{}]*\}`)
	linked   = regexp.MustCompile(`\]\([^)]*\)`)
	ofLesson = regexp.MustCompile(`(?i)\blessons? \d+`)
	aNumber  = regexp.MustCompile(`(?i)\b(?:\d+(?:[.,]\d+)*|` + strings.Join(spelt, "|") + `)\b`)
)

// numbersIn returns the numbers in the words, in digits, without those that are filled, that count lessons, or that
// are in allowed phrases.
func numbersIn(md string, allowed []string) (ns []string) {
	md = strings.Join(strings.Fields(md), " ")
	for _, r := range []*regexp.Regexp{filled, linked, ofLesson} {
		md = r.ReplaceAllString(md, "#")
	}
	for _, phrase := range allowed {
		md = strings.ReplaceAll(md, phrase, "#")
	}
	for _, n := range aNumber.FindAllString(md, -1) {
		if i := slices.Index(spelt, strings.ToLower(n)); i >= 0 {
			n = strconv.Itoa(i + 2)
		}
		ns = append(ns, n)
	}
	return ns
}

// claimsNumber reports whether a number appears in what the step claims or shows of an answer, or counts a claim's
// clients, the marks of a kind, or all clients.
func claimsNumber(l *lessons.Lesson, s *lessons.Step, n string) bool {
	count := map[string]int{}
	all := slices.Clip(s.Claims)
	if s.Question != nil {
		for _, m := range s.Question.Marks {
			if c := (lessons.Claim{Kind: "mark", Text: m}); !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	for _, c := range all {
		words := strings.Fields(c.Text)
		if slices.Contains(strings.FieldsFunc(c.Text, parts), n) {
			return true
		}
		if c.Kind == "mark" || c.Kind == "not" {
			count[c.Kind+words[0]]++
		} else {
			count[c.Kind] = len(words)
		}
	}
	for _, k := range count {
		if strconv.Itoa(k) == n {
			return true
		}
	}
	return n == strconv.Itoa(l.Scenario.WithDefaults().Clients)
}

// parts separates the parts of a claim's text: "data stock/tickets n=2, version 1" has the numbers 2 and 1.
func parts(r rune) bool { return strings.ContainsRune(" =,*", r) }

// TestClaimsAreRefuted checks that a false claim of each kind is found.
func TestClaimsAreRefuted(t *testing.T) {
	log := logOf(t, "A session.created session=1\nA client.started\n2s A recipe.phase holding")
	s := view.NewFor(log.Header)
	for _, e := range log.Events {
		s.Apply(e)
	}
	marks := []mark.Mark{{Kind: mark.Inside, Subject: "A"}}
	lines := []string{"A and B don't go in turn, at 2.0 s", "Nobody waits forever"}
	for claim, holds := range map[string]bool{
		"inside A": true, "inside -": false, "inside A B": false, "believes A": true, "believes B": false,
		"broken -": true, "broken order": false, "now wakeups 0": true, "now wakeups 1": false,
		"now seconds 2": true, "now seconds 3": false,
		"not inside B": true, "not inside A": false, "inside B": false, "watch A *": false, "now waiting 1": false,
		"verdict A and B don't go in turn, at *": true, "verdict Nobody waits": false,
		"verdict Nobody waits forever": true,
	} {
		c, err := lessons.ParseClaim(claim)
		if err != nil {
			t.Fatal(err)
		}
		got := c.Refute(s, promise.Verdict{}, event.Seq(len(log.Events))) + c.Seen(marks) + c.Judged(lines)
		if (got == "") != holds {
			t.Errorf("%s: %q", claim, got)
		}
	}
	for _, wrong := range []string{
		"inside", "verdict", "now", "now sheep 3", "now wakeups", "colour A", "not colour A", "",
	} {
		if _, err := lessons.ParseClaim(wrong); err == nil {
			t.Errorf("%q is taken for a claim", wrong)
		}
	}
}
