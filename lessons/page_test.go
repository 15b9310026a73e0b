package lessons_test

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/lessons"
)

// TestPageOfOneLesson: a page has everything about its lesson that readers need, in words and in figures.
func TestPageOfOneLesson(t *testing.T) {
	m := oneLesson(asks + `, ` + tries + `, "join": true, "focus": ["client-2"], "opens": ["log"],
		"challenge": {"rule": "belief-exclusion", "par": 1, "forbid": ["drop", "client-2"],
		"solution": ["pause client-1 at 50s for 20s"]}`)
	replace(t, m, "one/en.md", "Two\nWords.", "*Two*\nWords that\n*go* on to "+
		"[a run](run:recipe=barrier&clients=3), "+
		"[a recipe](recipe:barrier), [a lesson](lesson:one), [the zoo](page:zoo) and [away](https://example.com).")
	b, err := lessons.OpenFS(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	p, ok := b.Page("one", "en")
	if !ok {
		t.Fatal("there is no page")
	}
	r := b.RunOf("one")
	s := p.Steps[1]
	want := lessons.PageStep{
		Anchor: "s2", Title: "Two", Opens: []lessons.Panel{lessons.PanelLog}, Join: true,
		Text: "Words that go on to a run, a recipe, a lesson, the zoo and away.",
		HTML: "<p>Words that\n<em>go</em> on to " + `<a href="../lab?recipe=barrier&amp;clients=3">a run</a>, ` +
			`<a href="../recipes#barrier">a recipe</a>, <a href="../lessons/one">a lesson</a>, ` +
			`<a href="../zoo">the zoo</a> and <a href="https://example.com">away</a>.</p>`,
		Seq: uint32(r.Positions[1].Seq), At: r.Positions[1].At,
		Question: &lessons.PageQuestion{ID: "s2", Text: "Which?", Choices: []lessons.PageChoice{
			{ID: "a", Label: "A", Why: "Yes.", Right: true}, {ID: "b", Label: "B", Why: "No."}}},
		Challenge: &lessons.PageChallenge{Task: "s2 belief-exclusion 1 1 !drop !client-2", Par: 1,
			Forbid: []string{"drop"}, Spare: []string{"B"}, Hits: lessons.HitsClient, Lasts: 20 * time.Second,
			Goal: "Break it.", Hint: "Pause it.", Won: "Well done.",
			Solution: []fault.Fault{{Kind: fault.Pause, Client: 1, At: 50 * time.Second, For: 20 * time.Second}}},
		Try: &lessons.PageTry{Text: "See.", Buttons: []lessons.PageButton{
			{Label: "Go.", Recipe: "children-lock", Clients: 100}}},
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("the step is\n%+v\n%+v\n%+v\n%+v\n, not\n%+v", s, s.Question, s.Challenge, s.Try, want)
	}
	head := *p
	head.Steps = nil
	whole := lessons.Page{Number: 1, Slug: "one", Lang: "en", Title: "Title", Lede: "Lede.",
		Recipe: "children-lock", SessionTimeout: 10 * time.Second, Minutes: 4, Point: "Words and source."}
	if !reflect.DeepEqual(head, whole) {
		t.Errorf("the page is %+v, not %+v", head, whole)
	}
	if p, ok := b.Page("two", "en"); ok || p != nil {
		t.Errorf("a lesson that is not there has the page %+v", p)
	}
}

// TestPagesAreMadeOnce: everybody gets the same page.
func TestPagesAreMadeOnce(t *testing.T) {
	b := open(t)
	for _, l := range b.Lessons {
		one, _ := b.Page(l.Slug, "en")
		two, _ := b.Page(l.Slug, "nobody speaks it")
		if one != two {
			t.Errorf("%s has two pages", l.Slug)
		}
	}
}

// TestPagesLeadOn: to the lesson before and to the one after.
func TestPagesLeadOn(t *testing.T) {
	b := open(t)
	for i, l := range b.Lessons {
		p, _ := b.Page(l.Slug, "en")
		link := func(i int) *lessons.PageLink {
			if i < 0 || i >= len(b.Lessons) {
				return nil
			}
			return &lessons.PageLink{Slug: b.Lessons[i].Slug, Title: b.Lessons[i].Prose["en"].Title}
		}
		if prev, next := link(i-1), link(i+1); !reflect.DeepEqual(p.Prev, prev) || !reflect.DeepEqual(p.Next, next) {
			t.Errorf("%s leads back to %v and on to %v, not %v and %v", l.Slug, p.Prev, p.Next, prev, next)
		}
	}
}

// TestTheRightAnswerHasNoPlaceOfItsOwn: over all lessons it is in no place more often than in the others together,
// and in each lesson the choices keep their order.
func TestTheRightAnswerHasNoPlaceOfItsOwn(t *testing.T) {
	questions, at := 0, map[int]int{}
	one, two := open(t), open(t)
	for i, l := range one.Lessons {
		p, _ := one.Page(l.Slug, "en")
		again, _ := two.Page(l.Slug, "en")
		for j, s := range p.Steps {
			if s.Question == nil {
				continue
			}
			questions++
			at[slices.IndexFunc(s.Question.Choices, func(c lessons.PageChoice) bool { return c.Right })]++
			if !reflect.DeepEqual(s.Question, again.Steps[j].Question) {
				t.Errorf("%s/%s: the choices have changed their places", one.Lessons[i].Slug, s.Anchor)
			}
		}
	}
	for place, n := range at {
		if 2*n > questions {
			t.Errorf("the right answer is in place %d in %d of %d questions", place+1, n, questions)
		}
	}
}
