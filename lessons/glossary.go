package lessons

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// The glossary explains the terms, a section for each. Its heading lists the term's forms, separated by slashes;
// the first is its name. An English plural needs no form of its own.

// glossaryFolder has the glossary, a file for each language.
const glossaryFolder = "glossary"

// formsApart separates the forms of a term.
const formsApart = " / "

// Term is a term in one language.
type Term struct {
	ID    string
	Name  string
	HTML  string    // its explanation, safe to show as it is
	Text  string    // the same without marks
	First *PageLink // the lesson in which it first occurs, nil if in none
	forms *regexp.Regexp
}

// Glossary returns the terms in a language, in the source language if there is no translation.
func (b *Book) Glossary(lang string) []*Term {
	if list, ok := b.terms[lang]; ok {
		return list
	}
	return b.terms[Source]
}

// terms marks each term where it first occurs.
type terms struct{ list []*Term }

func newTerms(words Prose) *terms {
	t := &terms{}
	for _, s := range words.Steps {
		forms := formsOf(s)
		name := forms[0]
		for i, form := range forms {
			forms[i] = regexp.QuoteMeta(form)
		}
		// checkMarkdown has read the body: it can be rendered.
		html, _ := render(s.Body)
		t.list = append(t.list, &Term{ID: s.Anchor, Name: name, HTML: html, Text: plain(s.Body),
			forms: regexp.MustCompile(`(?i)\b(?:` + strings.Join(forms, "|") + `)s?\b`)})
	}
	return t
}

// formsOf returns the forms in a section's heading, at least one.
func formsOf(s StepProse) (forms []string) {
	for form := range strings.SplitSeq(s.Title, formsApart) {
		forms = append(forms, strings.TrimSpace(form))
	}
	return forms
}

// mark links the terms that occur in a text for the first time. It leaves links and code alone.
func (t *terms) mark(doc ast.Node, src []byte, here PageLink) {
	var texts []*ast.Text
	// The function never fails, so neither does Walk.
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link, *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if entering {
				texts = append(texts, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range texts {
		for n != nil {
			n = t.markFirst(n, src, here)
		}
	}
}

// markFirst links the first new term in a text, and returns the text after it; nil if there is none.
func (t *terms) markFirst(n *ast.Text, src []byte, here PageLink) *ast.Text {
	var found *Term
	var at []int
	for _, term := range t.list {
		if term.First != nil {
			continue
		}
		// If two begin at the same place, the longer one is meant.
		if m := term.forms.FindIndex(n.Segment.Value(src)); m != nil &&
			(at == nil || m[0] < at[0] || m[0] == at[0] && m[1] > at[1]) {
			found, at = term, m
		}
	}
	if found == nil {
		return nil
	}
	found.First = &here
	from, to := n.Segment.Start+at[0], n.Segment.Start+at[1]
	link := ast.NewLink()
	link.Destination, link.Title = []byte("term:"+found.ID), []byte(found.Text)
	link.SetAttributeString("class", []byte("term"))
	link.AppendChild(link, ast.NewTextSegment(text.NewSegment(from, to)))
	rest := ast.NewTextSegment(text.NewSegment(to, n.Segment.Stop))
	rest.SetSoftLineBreak(n.SoftLineBreak())
	rest.SetHardLineBreak(n.HardLineBreak())
	n.SetSoftLineBreak(false)
	n.SetHardLineBreak(false)
	n.Segment = text.NewSegment(n.Segment.Start, from)
	n.Parent().InsertAfter(n.Parent(), n, link)
	link.Parent().InsertAfter(link.Parent(), link, rest)
	return rest
}
