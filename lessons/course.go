package lessons

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The course is the lessons in their order, in parts, with what each builds on. One file lists them; the words of the
// parts are in a folder of their own, one section for each.

// Part is a part of the course in one language.
type Part struct {
	ID      string
	Title   string
	Lede    string
	Lessons []*Page
}

// Minutes returns how long its lessons take together, in whole minutes.
func (p *Part) Minutes() (n int) {
	for _, l := range p.Lessons {
		n += l.Minutes
	}
	return n
}

// courseFile lists the parts of the course and, below each, its lessons in their order.
const courseFile = "course.txt"

// place is a lesson's place in the course.
type place struct {
	slug, part string
	number     int
}

// folderName is what a lesson's folder may be called. It begins with a letter: the addresses of lessons once began with
// their numbers.
var folderName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// readCourse reads the order of the lessons. A part is a line that ends with a colon. A lesson is a line with the
// name of its folder, and the word introduction for one that comes before the first; empty lines and those with #
// say nothing.
func readCourse(fsys fs.FS) ([]place, error) {
	data, err := readLimited(fsys, courseFile)
	if err != nil {
		return nil, err
	}
	var course []place
	parts, slugs := []string{}, map[string]bool{}
	part, next, n := "", 1, 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, ok := strings.CutSuffix(line, ":"); ok {
			if slices.Contains(parts, name) {
				return nil, fmt.Errorf("%s:%d: duplicate part %q", courseFile, n, name)
			}
			part, parts = name, append(parts, name)
			continue
		}
		slug, introduction := strings.CutSuffix(line, " introduction")
		if introduction && len(course) == 0 {
			next = 0
		}
		switch {
		case !folderName.MatchString(slug) || introduction && len(course) > 0:
			return nil, fmt.Errorf("%s:%d: a line must be a part like line:, a lesson's folder like the-herd, or, first, "+
				"a folder and the word introduction", courseFile, n)
		case slugs[slug]:
			return nil, fmt.Errorf("%s:%d: duplicate lesson %s", courseFile, n, slug)
		}
		if _, err := fs.Stat(fsys, slug+"/facts.json"); err != nil {
			return nil, fmt.Errorf("%s:%d: there is no lesson %s: no folder of that name has a facts.json", courseFile, n, slug)
		}
		slugs[slug] = true
		course = append(course, place{slug, part, next})
		next++
	}
	return course, unplaced(fsys, slugs)
}

// unplaced says which folder with a lesson the course doesn't name, or that it names none.
func unplaced(fsys fs.FS, slugs map[string]bool) error {
	if len(slugs) == 0 {
		return fmt.Errorf("%s: no lesson is named", courseFile)
	}
	names, err := fs.Glob(fsys, "*/facts.json")
	for _, name := range names {
		if slug := path.Dir(name); !slugs[slug] {
			return fmt.Errorf("%s: %s doesn't list it: add a line %s", slug, courseFile, slug)
		}
	}
	return err
}

// checkCourse says which lesson is out of place: a lesson builds on earlier ones.
func checkCourse(ls []Lesson) error {
	var names []string
	for i := range ls {
		l := &ls[i]
		for _, name := range l.After {
			if !slices.Contains(names, name) {
				return fmt.Errorf("%s/facts.json: after: no lesson %q comes before this one", l.Slug, name)
			}
		}
		names = append(names, l.Slug)
	}
	return nil
}

// partsFolder has the words of the parts, a file for each language.
const partsFolder = "parts"

// readParts reads the words of the parts in all languages. If no lesson has a part, none are needed.
func readParts(fsys fs.FS, ls []Lesson) (map[string]Prose, error) {
	all, err := readSections(fsys, partsFolder)
	if err != nil {
		return nil, err
	}
	for lang, prose := range all {
		for i := range ls {
			if prose.section(ls[i].Part) == nil {
				return nil, fmt.Errorf("%s/%s.md: there is no section ## %s: …", partsFolder, lang, ls[i].Part)
			}
		}
	}
	if len(all) == 0 && ls[0].Part != "" {
		return nil, fmt.Errorf("%s: there is no %s.md", partsFolder, Source)
	}
	return all, nil
}

// words returns the words in a language, in the source language if there is no translation.
func (b *Book) words(all map[string]Prose, lang string) Prose {
	if words, ok := all[lang]; ok {
		return words
	}
	return all[Source]
}

func (p *Prose) section(anchor string) *StepProse {
	for i := range p.Steps {
		if p.Steps[i].Anchor == anchor {
			return &p.Steps[i]
		}
	}
	return nil
}

// Parts returns the parts of the course in a language, in the source language if there is no translation.
func (b *Book) Parts(lang string) []Part {
	words := b.words(b.parts, lang)
	var parts []Part
	for i := range b.Lessons {
		l := &b.Lessons[i]
		if i == 0 || l.Part != b.Lessons[i-1].Part {
			p := Part{ID: l.Part}
			if s := words.section(l.Part); s != nil {
				p.Title, p.Lede = plain(s.Title), plain(s.Body)
			}
			parts = append(parts, p)
		}
		page, _ := b.Page(l.Slug, lang)
		last := &parts[len(parts)-1]
		last.Lessons = append(last.Lessons, page)
	}
	return parts
}

// Reading speed, and the time for actions: rough, and honest enough to plan an hour with.
const (
	wordsAMinute = 150
	stepTakes    = 12 * time.Second
	askTakes     = 20 * time.Second
	taskTakes    = 2 * time.Minute
	repairTakes  = time.Minute // and lines to put in order
)

// minutes returns how long a lesson takes, at least 1.
func (l *Lesson) minutes() int {
	count, takes := 0, time.Duration(0)
	prose := l.Prose[Source]
	for i := range l.Steps {
		for _, text := range prose.Steps[i].texts() {
			count += words(plain(text))
		}
		takes += stepTakes
		if l.Steps[i].Question != nil {
			takes += askTakes
		}
		if l.Steps[i].Challenge != nil {
			takes += taskTakes
		}
		if l.Steps[i].Repair != nil || l.Steps[i].Order != nil {
			takes += repairTakes
		}
	}
	takes += time.Duration(count) * time.Minute / wordsAMinute
	return max(1, int(takes.Round(time.Minute)/time.Minute))
}

// reviewed is the number of questions in a review.
const reviewed = 3

// Review is a lesson's question, asked again.
type Review struct {
	Lesson *Page
	Step   *PageStep
}

// Asked returns the questions that the lessons of a part ask, in their order.
func (p *Part) Asked() (all []Review) {
	for _, l := range p.Lessons {
		for i := range l.Steps {
			if l.Steps[i].Question != nil {
				all = append(all, Review{l, &l.Steps[i]})
			}
		}
	}
	return all
}

// Review returns three questions from different lessons of a part, and of those before it if it has too few. They
// are the same each time, in an order unrelated to that of their lessons.
func (b *Book) Review(part, lang string) []Review {
	var own, before []Review
	for _, p := range b.Parts(lang) {
		before = append(own, before...)
		own = p.Asked()
		if p.ID == part {
			return draw(part, own, before)
		}
	}
	return nil
}

// draw takes questions from different lessons, first from the first list and then from the second.
func draw(seed string, lists ...[]Review) []Review {
	var drawn []Review
	for _, list := range lists {
		slices.SortStableFunc(list, func(a, b Review) int { return int(chance(seed, a)) - int(chance(seed, b)) })
		for _, r := range list {
			same := func(d Review) bool { return d.Lesson == r.Lesson }
			if len(drawn) < reviewed && !slices.ContainsFunc(drawn, same) {
				drawn = append(drawn, r)
			}
		}
	}
	return drawn
}

func chance(seed string, r Review) uint16 {
	h := fnv.New32a()
	h.Write([]byte(seed + " " + r.Lesson.Slug + " " + r.Step.Anchor))
	return uint16(h.Sum32())
}
