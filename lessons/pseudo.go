package lessons

import (
	"maps"
	"slices"
	"strings"
)

// With returns the book with one more language, whose words say makes from the source's.
func (b *Book) With(lang string, say func(markdown string) string) (*Book, error) {
	w := &Book{
		Lessons: slices.Clone(b.Lessons), languages: append(slices.Clone(b.languages), lang),
		runs: b.runs, pages: maps.Clone(b.pages), terms: maps.Clone(b.terms),
		parts: maps.Clone(b.parts), glossary: maps.Clone(b.glossary), searches: b.searches,
		plans: b.plans,
	}
	w.parts[lang] = b.parts[Source].said(lang, say)
	w.glossary[lang] = b.glossary[Source].said(lang, func(text string) string { return eachForm(text, say) })
	for i := range w.Lessons {
		l := &w.Lessons[i]
		l.Prose = maps.Clone(l.Prose)
		l.Prose[lang] = l.Prose[Source].said(lang, say)
	}
	return w, w.makePages(lang)
}

func (p Prose) said(lang string, say func(string) string) Prose {
	p.Lang, p.Title, p.Lede, p.Steps = lang, say(p.Title), say(p.Lede), slices.Clone(p.Steps)
	for i := range p.Steps {
		s := &p.Steps[i]
		s.Of = s.Digest()
		for _, text := range []*string{&s.Title, &s.Ask, &s.Goal, &s.Hint, &s.Won, &s.Try, &s.Repair, &s.Order,
			&s.Vary, &s.Beside} {
			*text = say(*text)
		}
		paragraphs := strings.Split(s.Body, "\n\n") // a page may show some of them alone
		for k := range paragraphs {
			paragraphs[k] = say(paragraphs[k])
		}
		s.Body = strings.Join(paragraphs, "\n\n")
		s.Choices, s.Patches, s.Values = maps.Clone(s.Choices), maps.Clone(s.Patches), maps.Clone(s.Values)
		s.Lines, s.Labels = maps.Clone(s.Lines), maps.Clone(s.Labels)
		for _, answers := range []map[string]Answer{s.Choices, s.Patches, s.Lines, s.Values} {
			for id, a := range answers {
				answers[id] = Answer{say(a.Label), say(a.Why)}
			}
		}
		for id, label := range s.Labels {
			s.Labels[id] = say(label)
		}
	}
	return p
}

// eachForm applies say to each form of a term; any other text has one.
func eachForm(text string, say func(string) string) string {
	forms := strings.Split(text, formsApart)
	for i, form := range forms {
		forms[i] = say(form)
	}
	return strings.Join(forms, formsApart)
}
