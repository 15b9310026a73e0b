package lessons

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// Page is a lesson's words in one language, filled and rendered. All are plain text except PageStep.HTML, which is
// safe to show as it is: it comes from the project's own Markdown, which holds no raw HTML.
type Page struct {
	Number     int
	Slug       string
	Lang       string
	Title      string
	Lede       string
	Recipe     string
	Minutes    int        // roughly what it takes
	After      []PageLink // lessons that it builds on
	Steps      []PageStep
	Point      string    // what the last step says that one can explain now
	Next, Prev *PageLink // nil at the ends

	SessionTimeout time.Duration
}

// PageLink names a neighbouring lesson.
type PageLink struct{ Slug, Title string }

// PageStep is one step of a Page.
type PageStep struct {
	Anchor    string
	Title     string
	HTML      string        // the step's text
	Text      string        // the same without marks, for reading aloud and as the picture's description
	Seq       uint32        // where the simulated run stops
	At        time.Duration // the time that its picture shows
	Opens     []Panel       // the panels that the words mention
	Question  *PageQuestion
	Challenge *PageChallenge
	Try       *PageTry
	Repair    *PageRepair
	Order     *PageOrder
	Vary      *PageVary
	Join      bool   // the page explains here how to join the zoo by hand
	Beside    string // the scenario of the run beside the lesson's, as a query; empty for none
	InStep    string // what keeps the two in step
	Names     string // the names of the two and the rule that the step is about, see player.RunNames
}

// Step returns the step of that anchor, the zero value if there is none.
func (p *Page) Step(anchor string) (s PageStep) {
	if i := slices.IndexFunc(p.Steps, func(s PageStep) bool { return s.Anchor == anchor }); i >= 0 {
		s = p.Steps[i]
	}
	return s
}

// PageQuestion is a question with its choices, exactly one of them right.
type PageQuestion struct {
	ID      string // the step's anchor
	Text    string
	Choices []PageChoice
}

// PageChoice is one answer, with the sentence for those who choose it.
type PageChoice struct {
	ID, Label, Why string
	Right          bool
}

// PageChallenge is a Challenge with its words.
type PageChallenge struct {
	Task            string // for its judge: a challenge.Task as written
	Par             int
	Forbid          []string // kinds of faults that must not be used
	Spare           []string // clients to leave alone, by their letters
	Hits            Hit
	Lasts           time.Duration // for how long its solution's fault lasts, 0 if it doesn't
	Goal, Hint, Won string
	Solution        []fault.Fault // one way to do it
}

// Hit says what a challenge's solution is done to. The page has words for its values.
type Hit string

const (
	HitsClient  Hit = "client"
	HitsServer  Hit = "server"
	HitsNode    Hit = "node"
	HitsMessage Hit = "message"
)

// hits returns what a fault strikes.
func hits(f fault.Fault) Hit {
	switch f.Kind.Target() {
	case fault.ToClient, fault.ToClientAt:
		return HitsClient
	case fault.ToNode:
		return HitsNode
	case fault.ToMessage:
		return HitsMessage
	}
	return HitsServer
}

// PageTry is a row of buttons, each of which runs a recipe and shows its figures.
type PageTry struct {
	Text    string
	Buttons []PageButton
}

// PageButton runs Recipe with Clients.
type PageButton struct {
	Label, Recipe string
	Clients       int
	Beside        string // the recipe to watch beside it
}

// Page returns a lesson in a language, in the source language if there is no translation.
func (b *Book) Page(slug, lang string) (*Page, bool) {
	l, ok := b.Find(slug)
	if !ok {
		return nil, false
	}
	pages := b.pages[lang]
	if pages == nil {
		pages = b.pages[Source]
	}
	return pages[l.Number-b.Lessons[0].Number], true
}

// makePages makes every lesson's page in a language.
func (b *Book) makePages(lang string) error {
	terms := newTerms(b.words(b.glossary, lang))
	var pages []*Page
	for i := range b.Lessons {
		p, err := b.makePage(&b.Lessons[i], lang, terms)
		if err != nil {
			return err
		}
		pages = append(pages, p)
	}
	for i, p := range pages {
		for _, name := range b.Lessons[i].After {
			l, _ := b.Find(name)
			p.After = append(p.After, PageLink{l.Slug, l.Prose[lang].Title})
		}
	}
	for i, p := range pages[1:] {
		p.Prev = &PageLink{pages[i].Slug, pages[i].Title}
		pages[i].Next = &PageLink{p.Slug, p.Title}
	}
	b.pages[lang], b.terms[lang] = pages, terms.list
	return nil
}

func (b *Book) makePage(l *Lesson, lang string, terms *terms) (*Page, error) {
	prose := l.Prose[lang]
	p := &Page{
		Number: l.Number, Slug: l.Slug, Lang: lang, Title: prose.Title, Lede: prose.Lede, Recipe: l.Scenario.Recipe,
		Minutes: l.minutes(), SessionTimeout: l.Scenario.WithDefaults().SessionTimeout,
	}
	f := filler{slug: l.Slug, seed: l.Scenario.Seed, lang: lang, runs: b.runs, terms: terms,
		link: PageLink{l.Slug, prose.Title}}
	for i := range l.Steps {
		s := f.step(&l.Steps[i], &prose.Steps[i])
		pos := b.runs[l.Slug].Positions[i]
		s.Seq, s.At = uint32(pos.Seq), pos.At
		if f.err != nil {
			return nil, fmt.Errorf("%s/%s.md: step %s: %w", l.Slug, lang, s.Anchor, f.err)
		}
		p.Steps = append(p.Steps, s)
	}
	p.Point = f.plain(pointOf(prose.Steps[len(prose.Steps)-1].Body))
	return p, f.err
}

// pointOf returns the words of a last step without the paragraph that leads on to recipes and to the next lesson.
func pointOf(body string) string {
	if i := strings.LastIndex(body, "\n\n"); i >= 0 && strings.Contains(body[i:], "(recipe:") {
		return body[:i]
	}
	return body
}

// filler fills and renders texts, and keeps the first error.
type filler struct {
	slug, lang string
	seed       uint64
	runs       map[string]*Run
	terms      *terms
	link       PageLink // to the lesson
	err        error
}

func (f *filler) do(md string, render func(string) (string, error)) string {
	filled, err := fill(md, f.lang, f.slug, f.runs)
	if err == nil {
		filled, err = render(filled)
	}
	if err != nil && f.err == nil {
		f.err = err
	}
	return filled
}

// explained renders a text, and links terms that occur in it for the first time.
func (f *filler) explained(md string) (string, error) {
	return render(md, func(doc ast.Node) { f.terms.mark(doc, []byte(md), f.link) })
}

func (f *filler) plain(md string) string {
	return f.do(md, func(s string) (string, error) { return plain(s), nil })
}

func (f *filler) step(facts *Step, words *StepProse) PageStep {
	s := PageStep{Anchor: facts.Anchor, Title: f.plain(words.Title), Opens: facts.Opens, Join: facts.Join,
		HTML: f.do(words.Body, f.explained), Text: f.plain(words.Body)}
	if facts.Question != nil {
		s.Question = f.question(facts, words)
	}
	if c := facts.Challenge; c != nil {
		s.Challenge = &PageChallenge{Task: facts.Task(f.runs[f.slug]).String(), Par: c.Par,
			Goal: f.plain(words.Goal), Hint: f.plain(words.Hint), Won: f.plain(words.Won)}
		for _, text := range c.Solution {
			does, err := fault.Parse(text)
			f.err = cmp.Or(f.err, err)
			s.Challenge.Solution = append(s.Challenge.Solution, does)
		}
		first := s.Challenge.Solution[0]
		s.Challenge.Hits, s.Challenge.Lasts = hits(first), first.For
		for _, word := range c.Forbid {
			if n, ok := strings.CutPrefix(word, "client-"); ok {
				who, _ := strconv.Atoi(n)
				s.Challenge.Spare = append(s.Challenge.Spare, event.Actor(who).Letter())
			} else {
				s.Challenge.Forbid = append(s.Challenge.Forbid, word)
			}
		}
	}
	if len(facts.Buttons) > 0 {
		s.Try = &PageTry{Text: f.plain(words.Try)}
		for _, b := range facts.Buttons {
			s.Try.Buttons = append(s.Try.Buttons, PageButton{f.plain(words.Labels[b.ID]), b.Recipe, b.Clients, b.Beside})
		}
	}
	if b := facts.Beside; b != nil {
		s.Beside, s.InStep, s.Names = b.Scenario.Query(), string(b.InStep), f.plain(words.Beside)+" | "+b.Rule
	}
	if facts.Repair != nil {
		s.Repair = f.repair(facts, words)
	}
	if facts.Order != nil {
		s.Order = f.order(facts, words)
	}
	if len(facts.Values) > 0 {
		s.Vary = f.vary(facts, words)
	}
	return s
}

func (f *filler) question(facts *Step, words *StepProse) *PageQuestion {
	q := &PageQuestion{ID: facts.Anchor, Text: f.plain(words.Ask)}
	right, err := facts.Question.Answer(f.runs[f.slug])
	if err != nil && f.err == nil {
		f.err = err
	}
	for _, c := range facts.Question.Choices {
		a := words.Choices[c.ID]
		q.Choices = append(q.Choices, PageChoice{c.ID, f.plain(a.Label), f.plain(a.Why), c.ID == right})
	}
	shuffle(f, q.ID, q.Choices, func(c PageChoice) string { return c.ID })
	return q
}

// shuffle orders what a step has to choose from independently of its author's order. The run's seed decides, so the
// order is the same in every language and on every visit.
func shuffle[T any](f *filler, step string, all []T, id func(T) string) {
	place := func(one T) []byte {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s %s", f.seed, f.slug, step, id(one)))
		return sum[:]
	}
	slices.SortFunc(all, func(a, b T) int { return bytes.Compare(place(a), place(b)) })
}

// Digest identifies the words of a source step, so that a translation can name what it translates.
func (s *StepProse) Digest() string {
	h := fnv.New32a()
	for _, t := range s.texts() {
		fmt.Fprintf(h, "%d %s\n", len(t), t)
	}
	return fmt.Sprintf("%08x", h.Sum32())
}
