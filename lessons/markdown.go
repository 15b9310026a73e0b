package lessons

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	_ "github.com/zkviz/zkviz/recipes"
)

// texts returns all Markdown texts of the step. The body comes first.
func (s *StepProse) texts() []string {
	out := []string{s.Body, s.Title}
	for _, t := range []string{s.Ask, s.Goal, s.Hint, s.Won, s.Try, s.Repair, s.Order, s.Vary, s.Beside} {
		if t != "" {
			out = append(out, t)
		}
	}
	for _, answers := range []map[string]Answer{s.Choices, s.Patches, s.Lines, s.Values} {
		for _, k := range sortedKeys(answers) {
			out = append(out, answers[k].Label, answers[k].Why)
		}
	}
	for _, k := range sortedKeys(s.Labels) {
		out = append(out, s.Labels[k])
	}
	return out
}

func parse(md string) ast.Node {
	return goldmark.DefaultParser().Parse(text.NewReader([]byte(md)))
}

// checkMarkdown allows paragraphs, lists, emphasis, code spans and links.
func checkMarkdown(md string) error {
	return ast.Walk(parse(md), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.(type) {
		case *ast.Document, *ast.Paragraph, *ast.TextBlock, *ast.Text, *ast.String,
			*ast.Emphasis, *ast.CodeSpan, *ast.Link, *ast.List, *ast.ListItem:
			return ast.WalkContinue, nil
		}
		return ast.WalkStop, fmt.Errorf("words hold paragraphs, lists, emphasis, code and links, not %s", n.Kind())
	})
}

// checkLinks allows lesson:SLUG, recipe:NAME, run:QUERY (a scenario, as run.ParseQuery reads it), page:zoo and https.
func checkLinks(ls []Lesson, md string) error {
	return ast.Walk(parse(md), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			if err := checkLink(ls, string(link.Destination)); err != nil {
				return ast.WalkStop, err
			}
		}
		return ast.WalkContinue, nil
	})
}

func checkLink(ls []Lesson, to string) error {
	scheme, rest, _ := strings.Cut(to, ":")
	switch scheme {
	case "https":
		return nil
	case "recipe":
		if _, ok := recipe.Find(rest); ok {
			return nil
		}
	case "run":
		_, err := run.ParseQuery(rest)
		return err
	case "page":
		if rest == "zoo" {
			return nil
		}
	case "lesson":
		for i := range ls {
			if ls[i].Slug == rest {
				return nil
			}
		}
	}
	const forms = "lesson:SLUG, recipe:NAME, run:QUERY, page:zoo or https://…"
	return fmt.Errorf("the link %q leads nowhere: write %s", to, forms)
}

// render returns the Markdown as HTML, with the links that pages use, after change has modified its tree.
func render(md string, change ...func(ast.Node)) (string, error) {
	doc := parse(md)
	for _, f := range change {
		f(doc)
	}
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			link.Destination = []byte(address(string(link.Destination)))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = goldmark.DefaultRenderer().Render(&b, []byte(md), doc)
	return strings.TrimSpace(b.String()), err
}

// address returns where a link leads from a lesson's page; the words don't know the page's language.
func address(to string) string {
	scheme, rest, _ := strings.Cut(to, ":")
	switch scheme {
	case "lesson":
		return "../lessons/" + rest
	case "recipe":
		return "../recipes#" + rest
	case "run":
		return "../lab?" + rest
	case "page":
		return "../" + rest
	case "term":
		return "../glossary#" + rest
	}
	return to
}

// plain returns the Markdown's text without its marks, for counting and for reading aloud. Placeholders stay as
// written.
func plain(md string) string {
	var b strings.Builder
	src := []byte(md)
	// The function never fails, so neither does Walk.
	_ = ast.Walk(parse(md), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(src))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.Paragraph, *ast.TextBlock:
			if !entering {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

// words counts the words of a plain text. A placeholder is one. In scripts without spaces two characters count as one.
func words(s string) int {
	s = hole.ReplaceAllString(s, "0")
	n, dense, inWord := 0, 0, false
	for _, r := range s {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			dense++
			inWord = false
			continue
		}
		isWord := unicode.IsLetter(r) || unicode.IsDigit(r) || inWord && strings.ContainsRune("'’-,./", r)
		if isWord && !inWord {
			n++
		}
		inWord = isWord
	}
	return n + (dense+1)/2
}
