// Package lessons reads and checks the lessons, runs their scenarios and makes their pages.
//
// A lesson is a folder: facts.json holds what is true in every language (the recipe, the scenario, where each step
// stops, the questions and how to compute their answers), and one Markdown file per language holds the words.
// Nothing here draws or serves: cmd/viz-server does, with what this package returns.
//
// # Where to change what
//
//   - the course: course.txt, after in a lesson's facts, course.go, and the words in parts and glossary
//   - plans for teachers: plans.json, plan.go
//   - where the words lead that people search for: searches
//   - what a step says and is held to: claims in its facts, claim.go
//   - what a question counts: the measures in access.go, telling.go, sessions.go and their like
//   - what a challenge wants: the package challenge below (servers.go for servers, why.go for tries that come to
//     nothing)
//   - programs with a gap: repair.go; lines to put back in order: order.go
//   - what a step's stage shows: shows.go and scene.Figures; which panels are open: opens in its facts
package lessons

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

//go:embed course.txt plans.json */facts.json */*.md
var files embed.FS

// Source is the language in which lessons are written. The others are translations of it.
const Source = "en"

// Book holds every lesson with the results of its scenario.
type Book struct {
	Lessons   []Lesson // in numeric order
	languages []string // sorted, Source among them
	runs      map[string]*Run
	pages     map[string][]*Page // by language, in the order of the lessons
	parts     map[string]Prose   // by language, the words of the parts of the course
	glossary  map[string]Prose   // by language
	searches  map[string]Prose   // by language, the words that people search for
	terms     map[string][]*Term // by language
	plans     plans
}

// Open reads the built-in lessons, runs each one's scenario once and makes their pages.
func Open(ctx context.Context) (*Book, error) { return OpenFS(ctx, files) }

// OpenFS is Open for lessons in another file system.
func OpenFS(ctx context.Context, fsys fs.FS) (*Book, error) {
	ls, err := Load(fsys)
	if err != nil {
		return nil, err
	}
	b := &Book{Lessons: ls, languages: languages(ls), runs: map[string]*Run{}, pages: map[string][]*Page{},
		terms: map[string][]*Term{}}
	if b.parts, err = readParts(fsys, ls); err != nil {
		return nil, err
	}
	if b.glossary, err = readSections(fsys, glossaryFolder); err != nil {
		return nil, err
	}
	if b.searches, err = readSearches(fsys, ls, b.glossary); err != nil {
		return nil, err
	}
	if b.plans, err = readPlans(fsys, ls); err != nil {
		return nil, err
	}
	var met []string // marks that the steps so far are about
	for i := range ls {
		r, err := ls[i].Run(ctx)
		if err != nil {
			return nil, fmt.Errorf("lesson %s: %w", ls[i].Slug, err)
		}
		b.runs[ls[i].Slug] = r
		for _, s := range ls[i].Steps {
			if err := s.simulateBesides(ctx); err != nil {
				return nil, fmt.Errorf("lesson %s: step %s: %w", ls[i].Slug, s.Anchor, err)
			}
		}
		met = ls[i].takeShows(r, met)
	}
	for _, lang := range b.languages {
		if err := b.makePages(lang); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// ofOld is how slugs once began: with the lesson's number.
var ofOld = regexp.MustCompile(`^\d+-`)

// Find returns the lesson of that slug. A slug of old, which begins with a number like 03-the-herd, finds the
// lesson too.
func (b *Book) Find(slug string) (*Lesson, bool) {
	slug = slug[len(ofOld.FindString(slug)):]
	for i := range b.Lessons {
		if b.Lessons[i].Slug == slug {
			return &b.Lessons[i], true
		}
	}
	return nil, false
}

// Teaching returns the lesson that teaches a recipe: the first that runs it, or else the first that links to it.
func (b *Book) Teaching(recipe string) (*Lesson, bool) {
	for _, teaches := range []func(l *Lesson) bool{
		func(l *Lesson) bool { return l.Scenario.Recipe == recipe },
		func(l *Lesson) bool { return l.leadsTo(recipe) },
	} {
		for i := range b.Lessons {
			if teaches(&b.Lessons[i]) {
				return &b.Lessons[i], true
			}
		}
	}
	return nil, false
}

// OnEven returns the lesson that shows the worth of an even number of servers, with its step's anchor: the first
// that puts such a run beside its own, which has fewer.
func (b *Book) OnEven() (l *Lesson, anchor string, ok bool) {
	for i := range b.Lessons {
		l := &b.Lessons[i]
		for _, s := range l.Steps {
			if s.Beside != nil && s.Beside.Scenario.Servers%2 == 0 && s.Beside.Scenario.Servers > l.Scenario.Servers {
				return l, s.Anchor, true
			}
		}
	}
	return nil, "", false
}

// leadsTo reports whether the words link to a recipe, or to a run of it.
func (l *Lesson) leadsTo(recipe string) bool {
	for _, s := range l.Prose[Source].Steps {
		for _, text := range s.texts() {
			if strings.Contains(text, "(recipe:"+recipe+")") || strings.Contains(text, "(run:recipe="+recipe+"&") {
				return true
			}
		}
	}
	return false
}

// RunOf returns the simulated run of a lesson's scenario, nil if there is no such lesson.
func (b *Book) RunOf(slug string) *Run { return b.runs[slug] }

// Load reads and checks every lesson under fsys: a folder each, in the order of course.txt. The error says in
// which file and at which line or step the first fault is.
func Load(fsys fs.FS) ([]Lesson, error) {
	course, err := readCourse(fsys)
	if err != nil {
		return nil, err
	}
	var ls []Lesson
	for _, p := range course {
		l, err := loadLesson(fsys, p)
		if err != nil {
			return nil, err
		}
		ls = append(ls, l)
	}
	if err := checkCourse(ls); err != nil {
		return nil, err
	}
	return ls, checkTogether(ls)
}

func loadLesson(fsys fs.FS, p place) (Lesson, error) {
	slug := p.slug
	l := Lesson{Number: p.number, Slug: slug, Part: p.part, Prose: map[string]Prose{}}
	if err := l.readFacts(fsys, slug+"/facts.json"); err != nil {
		return l, err
	}
	words, err := fs.Glob(fsys, slug+"/*.md")
	if err != nil {
		return l, err
	}
	for _, name := range words {
		if err := l.readProse(fsys, name); err != nil {
			return l, err
		}
	}
	if _, ok := l.Prose[Source]; !ok {
		return l, fmt.Errorf("%s: there is no %s.md, and lessons are written in %s first", slug, Source, Source)
	}
	return l, nil
}

func languages(ls []Lesson) []string {
	seen := map[string]bool{}
	for _, l := range ls {
		for lang := range l.Prose {
			seen[lang] = true
		}
	}
	return sortedKeys(seen)
}
