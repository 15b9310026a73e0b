package lessons

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// Limits of a lesson. See docs/adding/lesson.md.
const (
	minSteps     = 7
	minIntro     = 5 // of lesson 0, which only gives an overview
	maxSteps     = 9
	maxBodyWords = 60
	maxLineWords = 40 // for a question, a choice, a hint
)

// checkFacts returns an error for the first of l's facts that makes no sense.
func (l *Lesson) checkFacts() error {
	s := l.Scenario.WithDefaults()
	if err := s.Validate(); err != nil {
		return err
	}
	least := minSteps
	if l.Number == 0 {
		least = minIntro
	}
	if n := len(l.Steps); n < least || n > maxSteps {
		return fmt.Errorf("steps must be between %d and %d, not %d", least, maxSteps, n)
	}
	for i := range l.Steps {
		if err := l.checkStep(&l.Steps[i]); err != nil {
			return fmt.Errorf("step %s: %w", l.Steps[i].Anchor, err)
		}
	}
	return nil
}

func (l *Lesson) checkStep(s *Step) error {
	if !validAnchor(s.Anchor) {
		return fmt.Errorf("an anchor must consist of a-z, 0-9 and -")
	}
	if err := l.checkPlace(s); err != nil {
		return err
	}
	if c := s.Until; c != nil && (int(c.Client) > l.Scenario.Clients || c.Blocked+c.Inside > l.Scenario.Clients) {
		return fmt.Errorf("until: there are only %d clients", l.Scenario.Clients)
	}
	if c := s.Until; c != nil && c.Server > l.servers() {
		return fmt.Errorf("until: there are only %d servers to tell apart", l.servers())
	}
	if err := l.checkFocus(s.Focus); err != nil {
		return err
	}
	for _, panel := range s.Opens {
		if !slices.Contains([]Panel{PanelInspector, PanelSource, PanelLog}, panel) {
			return fmt.Errorf("opens: there is no panel %q", panel)
		}
	}
	if s.Question != nil {
		if s.Beside != nil {
			return fmt.Errorf("ask: a question needs a single picture, and another run stands beside this one")
		}
		if err := l.checkQuestion(s.Question); err != nil {
			return fmt.Errorf("ask: %w", err)
		}
	}
	if s.Challenge != nil {
		if err := l.checkChallenge(s); err != nil {
			return fmt.Errorf("challenge: %w", err)
		}
	}
	for _, b := range s.Buttons {
		if err := checkButton(b); err != nil {
			return fmt.Errorf("try: %w", err)
		}
	}
	return nil
}

func (l *Lesson) checkFocus(focus []string) error {
	for _, f := range focus {
		if f == "" {
			return fmt.Errorf("focus: a name is empty")
		}
		if who, ok := strings.CutPrefix(f, "client-"); ok {
			if n, err := strconv.Atoi(who); err != nil || n < 1 || n > l.Scenario.Clients {
				return fmt.Errorf("focus: there is no %s", f)
			}
		}
		if which, ok := strings.CutPrefix(f, "server-"); ok {
			if n, err := strconv.Atoi(which); err != nil || n < 1 || n > l.servers() {
				return fmt.Errorf("focus: there is no %s", f)
			}
		}
	}
	return nil
}

// servers returns how many servers the lesson's run distinguishes: none, if there is only one.
func (l *Lesson) servers() int {
	if s := l.Scenario.WithDefaults(); s.Servers+s.Observers > 1 {
		return s.Servers + s.Observers
	}
	return 0
}

func (l *Lesson) checkQuestion(q *Question) error {
	if len(q.Choices) < 2 {
		return fmt.Errorf("a question needs at least two choices")
	}
	for _, n := range q.Measure.clients() {
		if n > l.Scenario.Clients {
			return fmt.Errorf("measure %s: there are only %d clients", q.Measure, l.Scenario.Clients)
		}
	}
	for _, n := range q.Measure.servers() {
		if n > l.servers() {
			return fmt.Errorf("measure %s: there are only %d servers", q.Measure, l.servers())
		}
	}
	ids, values := map[string]bool{}, map[string]bool{}
	for i := range q.Choices {
		c := &q.Choices[i]
		if c.Value == "" {
			c.Value = c.ID
		}
		if !validAnchor(c.ID) || ids[c.ID] || values[c.Value] {
			return fmt.Errorf("choice %q: its name is invalid, or its name or value is a duplicate", c.ID)
		}
		ids[c.ID], values[c.Value] = true, true
	}
	return checkMarks(q.Marks)
}

func checkMarks(marks []string) error {
	if len(marks) == 0 {
		return fmt.Errorf("marks: name the mark in which the picture shows the answer")
	}
	for _, m := range marks {
		if !mark.Pattern(m) {
			return fmt.Errorf("marks: %q doesn't begin with a kind of mark", m)
		}
	}
	return nil
}

func (l *Lesson) checkChallenge(s *Step) error {
	c := s.Challenge
	rules := l.Scenario.Header(event.Simulated).Rules()
	if !slices.Contains(rules, c.Rule) && !challenge.IsFeat(c.Rule) {
		return fmt.Errorf("%s does not promise %q; its rules are %s",
			l.Scenario.Recipe, c.Rule, strings.Join(rules, ", "))
	}
	if challenge.OfServers(c.Rule) && l.servers() == 0 {
		return fmt.Errorf("%q needs servers", c.Rule)
	}
	if c.Times < 1 {
		return fmt.Errorf("times must be at least 1, not %d", c.Times)
	}
	if c.Par < 1 || len(c.Solution) != c.Par {
		return fmt.Errorf("par must be the number of faults in the solution, %[2]d, not %[1]d", c.Par, len(c.Solution))
	}
	if c.Mend && c.Times > 1 {
		return fmt.Errorf("times can't be combined with mend: remove it")
	}
	if err := l.checkForbid(c); err != nil {
		return err
	}
	solved := l.Scenario
	for _, text := range c.Solution {
		f, err := fault.Parse(text)
		if err != nil {
			return err
		}
		solved.Faults = append(slices.Clip(solved.Faults), f)
	}
	return solved.WithDefaults().Validate()
}

// checkForbid returns an error for a word that is neither a kind of fault nor a client nor challenge.ButMessages, or
// that the solution needs.
func (l *Lesson) checkForbid(c *Challenge) error {
	for _, word := range c.Forbid {
		if _, ok := fault.ParseKind(word); !ok && word != challenge.ButMessages {
			if !strings.HasPrefix(word, "client-") {
				return fmt.Errorf("forbid: %q is neither a kind of fault nor a client", word)
			}
			if err := l.checkFocus([]string{word}); err != nil {
				return fmt.Errorf("forbid: this lesson has no client %q", word)
			}
		}
	}
	for _, text := range c.Solution {
		if word := (challenge.Task{Forbid: c.Forbid}).Forbids(text); word != "" {
			return fmt.Errorf("the solution %q needs %q, which is forbidden", text, word)
		}
	}
	return nil
}

func checkButton(b Button) error {
	if !validAnchor(b.ID) {
		return fmt.Errorf("button %q needs a name", b.ID)
	}
	for _, recipe := range []string{b.Recipe, cmp.Or(b.Beside, b.Recipe)} {
		if err := (run.Scenario{Recipe: recipe, Clients: b.Clients}).WithDefaults().Validate(); err != nil {
			return err
		}
	}
	return nil
}

// checkProse compares p with the facts. Its error starts with ":line:" or ": ".
func (l *Lesson) checkProse(p *Prose) error {
	if p.Title == "" || p.Lede == "" {
		return fmt.Errorf(": a title, and a sentence below it for the list of lessons, are required")
	}
	for i, s := range p.Steps {
		if i >= len(l.Steps) || s.Anchor != l.Steps[i].Anchor {
			return fmt.Errorf(":%d: step %s: the facts have %s here", s.line, s.Anchor, l.anchorAt(i))
		}
		if err := l.Steps[i].checkWords(&p.Steps[i], p.Lang); err != nil {
			return fmt.Errorf(":%d: step %s: %w", s.line, s.Anchor, err)
		}
	}
	if n := len(p.Steps); n < len(l.Steps) {
		return fmt.Errorf(": step %s is missing", l.Steps[n].Anchor)
	}
	return nil
}

func (l *Lesson) anchorAt(i int) string {
	if i < len(l.Steps) {
		return "step " + l.Steps[i].Anchor
	}
	return "no more steps"
}

// checkWords returns an error for what s lacks or has in excess, compared with its facts.
func (f *Step) checkWords(s *StepProse, lang string) error {
	if lang == Source && s.Of != "" {
		return fmt.Errorf("the source is not a translation: remove the line 'of %s'", s.Of)
	}
	if lang != Source && s.Of == "" {
		return fmt.Errorf("a translation must say below the heading what it translates: of %s", strings.Repeat("0", 8))
	}
	if s.Body == "" {
		return fmt.Errorf("the step has no text")
	}
	if n := words(plain(s.Body)); n > maxBodyWords {
		return fmt.Errorf("the step has %d words; nobody reads more than %d while something moves", n, maxBodyWords)
	}
	for _, part := range []struct {
		name        string
		facts, says bool
	}{
		{"ask", f.Question != nil, s.Ask != ""},
		{"challenge", f.Challenge != nil, s.Goal != ""},
		{"try", len(f.Buttons) > 0, s.Try != ""},
		{"repair", f.Repair != nil, s.Repair != ""},
		{"order", f.Order != nil, s.Order != ""},
		{"vary", len(f.Values) > 0, s.Vary != ""},
		{"beside", f.Beside != nil, s.Beside != ""},
	} {
		if part.facts != part.says {
			return fmt.Errorf("%s: it must be in both the facts and the words, or in neither", part.name)
		}
	}
	if err := f.checkLists(s); err != nil {
		return err
	}
	for _, text := range s.texts() {
		if err := checkMarkdown(text); err != nil {
			return err
		}
	}
	for _, text := range s.texts()[1:] {
		if n := words(plain(text)); n > maxLineWords {
			return fmt.Errorf("%q has %d words, more than %d", text, n, maxLineWords)
		}
	}
	return nil
}

func (f *Step) checkLists(s *StepProse) error {
	var choices, buttons, patches, lines, values []string
	if f.Question != nil {
		for _, c := range f.Question.Choices {
			choices = append(choices, c.ID)
		}
	}
	for _, b := range f.Buttons {
		buttons = append(buttons, b.ID)
	}
	if f.Repair != nil {
		for _, c := range f.Repair.Choices {
			patches = append(patches, c.ID)
		}
	}
	for _, l := range f.Order {
		lines = append(lines, l.ID)
	}
	for _, v := range f.Values {
		values = append(values, v.ID)
	}
	if err := sameKeys("vary", values, s.Values); err != nil {
		return err
	}
	if err := sameKeys("ask", choices, s.Choices); err != nil {
		return err
	}
	if err := sameKeys("repair", patches, s.Patches); err != nil {
		return err
	}
	if err := sameKeys("order", lines, s.Lines); err != nil {
		return err
	}
	return sameKeys("try", buttons, s.Labels)
}

func sameKeys[T any](part string, want []string, got map[string]T) error {
	for _, k := range want {
		if _, ok := got[k]; !ok {
			return fmt.Errorf("%s: the words for %s are missing", part, k)
		}
	}
	for k := range got {
		if !slices.Contains(want, k) {
			return fmt.Errorf("%s: %s is not in the facts", part, k)
		}
	}
	return nil
}

// checkTogether checks what involves all lessons: languages, links, placeholders, and how each lesson ends.
func checkTogether(ls []Lesson) error {
	for _, lang := range languages(ls) {
		for i := range ls {
			p, ok := ls[i].Prose[lang]
			if !ok {
				return fmt.Errorf("%s: there is no %s.md, though other lessons have one", ls[i].Slug, lang)
			}
			if err := checkReferences(ls, i, &p); err != nil {
				return fmt.Errorf("%s/%s.md%w", ls[i].Slug, lang, err)
			}
		}
	}
	return nil
}

func checkReferences(ls []Lesson, i int, p *Prose) error {
	for _, s := range p.Steps {
		for _, text := range s.texts() {
			if err := checkHoles(ls, i, text); err != nil {
				return fmt.Errorf(":%d: step %s: %w", s.line, s.Anchor, err)
			}
			if err := checkLinks(ls, text); err != nil {
				return fmt.Errorf(":%d: step %s: %w", s.line, s.Anchor, err)
			}
		}
	}
	last := p.Steps[len(p.Steps)-1]
	wants := []string{"(recipe:" + ls[i].Scenario.Recipe + ")"}
	if i+1 < len(ls) {
		wants = append(wants, "(lesson:"+ls[i+1].Slug+")")
	}
	for _, link := range wants {
		if !strings.Contains(last.Body, link) {
			return fmt.Errorf(":%d: step %s: the last step must link to %s", last.line, last.Anchor, link)
		}
	}
	return nil
}

func validAnchor(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
