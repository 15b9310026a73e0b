package lessons_test

import (
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zkviz/zkviz/lessons"
)

// translated adds a second language, whose words are the source's.
func translated(t *testing.T) fstest.MapFS {
	t.Helper()
	m := shelf(t)
	maps.DeleteFunc(m, func(name string, _ *fstest.MapFile) bool {
		return path.Ext(name) == ".md" && path.Base(name) != "en.md"
	})
	ls, err := lessons.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	for i := range ls {
		text := string(m[ls[i].Slug+"/en.md"].Data)
		for _, s := range ls[i].Prose["en"].Steps {
			heading := fmt.Sprintf("## %s: %s\n", s.Anchor, s.Title)
			text = strings.Replace(text, heading, heading+"of "+s.Digest()+"\n", 1)
		}
		// Number words are only known in English.
		text = regexp.MustCompile(`\{\w+ =`).ReplaceAllString(text, "{=")
		m[ls[i].Slug+"/xx.md"] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestSecondLanguage(t *testing.T) {
	b, err := lessons.OpenFS(context.Background(), translated(t))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(b.Languages(), []string{"en", "xx"}) {
		t.Errorf("the languages are %v", b.Languages())
	}
	if stale := lessons.Stale(b.Lessons); len(stale) > 0 {
		t.Errorf("fresh translations are called stale: %v", stale)
	}
	p, _ := b.Page("the-herd", "xx")
	if p.Lang != "xx" {
		t.Errorf("the page is in %s", p.Lang)
	}
	if p, _ := b.Page("the-herd", "yy"); p.Lang != "en" {
		t.Errorf("an unknown language gives %s", p.Lang)
	}
}

// TestMadeLanguage adds a language made from the source's words. The book itself doesn't change.
func TestMadeLanguage(t *testing.T) {
	b, err := lessons.OpenFS(context.Background(), translated(t))
	if err != nil {
		t.Fatal(err)
	}
	with, err := b.With("en-XA", func(text string) string { return "(" + text + ")" })
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"en", "xx", "en-XA"}; !slices.Equal(with.Languages(), want) ||
		slices.Contains(b.Languages(), "en-XA") {
		t.Errorf("the languages are %v, and %v without it", with.Languages(), b.Languages())
	}
	if stale := lessons.Stale(with.Lessons); len(stale) > 0 {
		t.Errorf("what was made is called stale: %v", stale)
	}
	if p, _ := b.Page("the-herd", "en-XA"); p.Lang != "en" {
		t.Errorf("without it there is a page in %s", p.Lang)
	}
	source, _ := b.Page("the-herd", "en")
	made, _ := with.Page("the-herd", "en-XA")
	if made.Title != "("+source.Title+")" || made.Lede != "("+source.Lede+")" || made.Next.Title != "("+source.Next.Title+
		")" {
		t.Errorf("the page is %q, %q, and leads to %q", made.Title, made.Lede, made.Next.Title)
	}
	said := func(p *lessons.Page) (all []string) {
		for _, s := range p.Steps {
			all = append(all, s.Title, s.Text)
			if q := s.Question; q != nil {
				all = append(all, q.Text)
				for _, c := range q.Choices {
					all = append(all, c.Label, c.Why)
				}
			}
			if c := s.Challenge; c != nil {
				all = append(all, c.Goal, c.Hint, c.Won)
			}
			if s.Try != nil {
				all = append(all, s.Try.Text)
				for _, b := range s.Try.Buttons {
					all = append(all, b.Label)
				}
			}
		}
		return all
	}
	want := said(source)
	for i, got := range said(made) {
		if strings.ReplaceAll(got, ") (", " ") != "("+want[i]+")" { // each paragraph is said
			t.Errorf("it says %q for %q", got, want[i])
		}
	}
}

// TestTranslationsFollow: a step that was rewritten is translated again, in every language.
func TestTranslationsFollow(t *testing.T) {
	b, err := lessons.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range lessons.Stale(b.Lessons) {
		t.Error(s)
	}
}

func TestStaleTranslationsAreReported(t *testing.T) {
	m := translated(t)
	replace(t, m, "the-herd/en.md", "A came first.", "A was there first.")
	b, err := lessons.OpenFS(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	stale := lessons.Stale(b.Lessons)
	if len(stale) != 1 || !strings.HasPrefix(stale[0], "the-herd/xx.md:4: step number is stale") {
		t.Errorf("the stale steps are %q", stale)
	}
}

func TestIncompleteTranslationsAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(*testing.T, fstest.MapFS)
	}{
		{"a lesson is missing", "two-believe: there is no xx.md", func(t *testing.T, m fstest.MapFS) {
			delete(m, "two-believe/xx.md")
		}},
		{"a step is missing", "step arrival: the facts have step number here", func(t *testing.T, m fstest.MapFS) {
			text := string(m["the-herd/xx.md"].Data)
			i, j := strings.Index(text, "## number:"), strings.Index(text, "## arrival:")
			m["the-herd/xx.md"] = &fstest.MapFile{Data: []byte(text[:i] + text[j:])}
		}},
		{"a step does not say what it translates", "must say below the heading what it translates",
			func(t *testing.T, m fstest.MapFS) {
				replace(t, m, "the-herd/xx.md", "\nof ", "\n")
			}},
		{"the file has no language's name", "named after its language", func(t *testing.T, m fstest.MapFS) {
			m["the-herd/english.md"] = m["the-herd/en.md"]
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := translated(t)
			c.change(t, m)
			if _, err := lessons.Load(m); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v; it should say %q", err, c.want)
			}
		})
	}
}
