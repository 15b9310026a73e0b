package lessons_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zkviz/zkviz/lessons"
)

// The parts hold every lesson once, in their order, with words and minutes.
func TestParts(t *testing.T) {
	b := open(t)
	var slugs []string
	for _, p := range b.Parts("en") {
		if p.Title == "" || p.Lede == "" || p.Minutes() < len(p.Lessons) {
			t.Errorf("part %q has no words, or no time: %+v", p.ID, p)
		}
		for _, l := range p.Lessons {
			slugs = append(slugs, l.Slug)
			if l.Minutes < 1 || l.Minutes > 15 {
				t.Errorf("%s takes %d minutes", l.Slug, l.Minutes)
			}
			if len(l.After) == 0 && l.Number > 0 {
				t.Errorf("%s builds on nothing", l.Slug)
			}
		}
	}
	if !slices.EqualFunc(slugs, b.Lessons, func(slug string, l lessons.Lesson) bool { return slug == l.Slug }) {
		t.Errorf("the parts hold %v", slugs)
	}
	if got, want := b.Parts("xx"), b.Parts("en"); len(got) != len(want) || got[0].Title != want[0].Title {
		t.Errorf("a language without words has other parts: %+v", got)
	}
}

func TestCourseIsChecked(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, want string }{
		{"a part in between", "course.txt", "the-herd", "the-herd\ngroups:", `duplicate part "groups"`},
		{"a later lesson", "the-herd/facts.json", `["one-name-one-lock"]`, `["fencing"]`,
			`the-herd/facts.json: after: no lesson "fencing" comes before this one`},
		{"a part without words", "parts/en.md", "## line: ", "## queue: ", "parts/en.md: there is no section ## line: …"},
		{"words that lead nowhere", "searches/en.md", "the-herd,", "the-herds,", "there is no lesson or term the-herds"},
		{"words that lead to no term", "searches/en.md", "#herd", "#herds", "there is no lesson or term #herds"},
		{"a word twice", "searches/en.md", "Livelock", "dead-lock / deadlock", `duplicate word "deadlock"`},
		{"words that lead to nothing", "searches/en.md", "\na-queue, taken-but-not-done\n", "\n", "lead to 1 to 5"},
		{"an image in the glossary", "glossary/en.md", "A program that", "![x](y) A program that", "glossary/en.md:"},
	} {
		m := shelf(t)
		replace(t, m, c.file, c.old, c.new)
		if _, err := lessons.OpenFS(t.Context(), m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, not %q", c.name, err, c.want)
		}
	}
	m := shelf(t)
	delete(m, "parts/en.md")
	if _, err := lessons.OpenFS(t.Context(), m); err == nil || err.Error() != "parts: there is no en.md" {
		t.Errorf("without words the error is %v", err)
	}
}

// A slug that begins with a number, as all once did, finds the lesson of that name.
func TestNumberedSlugs(t *testing.T) {
	b := open(t)
	for slug, want := range map[string]string{
		"77-the-herd": "the-herd", "5-fencing": "fencing", "the-herd": "the-herd", "03-none": "", "03-": "", "-the-herd": "",
		"3-3-the-herd": "", "": "",
	} {
		l, ok := b.Find(slug)
		if ok != (want != "") || ok && l.Slug != want {
			t.Errorf("%q finds %+v, %t, not %q", slug, l, ok, want)
		}
	}
}

// A review has three questions from three lessons up to the part, as many from the part as possible.
func TestReview(t *testing.T) {
	b := open(t)
	seen := map[string]bool{}
	for _, p := range b.Parts("en") {
		asked := 0
		for _, l := range p.Lessons {
			seen[l.Slug] = true
			if slices.ContainsFunc(l.Steps, func(s lessons.PageStep) bool { return s.Question != nil }) {
				asked++
			}
		}
		var slugs []string
		own := 0
		for _, q := range b.Review(p.ID, "en") {
			if q.Step.Question == nil || !seen[q.Lesson.Slug] || slices.Contains(slugs, q.Lesson.Slug) {
				t.Errorf("%s asks again %s/%s", p.ID, q.Lesson.Slug, q.Step.Anchor)
			}
			if slices.Contains(p.Lessons, q.Lesson) {
				own++
			}
			slugs = append(slugs, q.Lesson.Slug)
		}
		if len(slugs) != 3 || own != min(asked, 3) {
			t.Errorf("%s asks %v, %d of them its own", p.ID, slugs, own)
		}
	}
	if q := b.Review("none", "en"); q != nil {
		t.Errorf("a part that is not there asks %v", q)
	}
}

// Every term of the glossary, except those of the pages, occurs in some lesson, and is explained once, where it
// first occurs.
func TestTermsAreExplainedWhereTheyAreMet(t *testing.T) {
	b := open(t)
	met := map[string]string{}
	for i := range b.Lessons {
		p, _ := b.Page(b.Lessons[i].Slug, "en")
		for _, s := range p.Steps {
			for part := range strings.SplitSeq(s.HTML, `<a href="../glossary#`) {
				id, _, _ := strings.Cut(part, `"`)
				if !strings.HasPrefix(part, "<") && strings.Contains(part, `class="term"`) {
					if met[id] != "" {
						t.Errorf("%s is explained in %s and in %s", id, met[id], p.Slug)
					}
					met[id] = p.Slug
				}
			}
		}
	}
	for _, term := range b.Glossary("en") {
		switch {
		case term.First == nil && (term.ID == "zxid" || term.ID == "recipe"):
		case term.First == nil:
			t.Errorf("%s is met in no lesson", term.ID)
		case met[term.ID] != term.First.Slug:
			t.Errorf("%s is explained in %q and first met in %s", term.ID, met[term.ID], term.First.Slug)
		}
	}
}

// A term is marked once, in whatever form; links, code and other words that contain it are left alone.
func TestMarkedTerms(t *testing.T) {
	const before, after = "Here `watch` is code, [a watch](lesson:the-herd) a link, a *stopwatch* another word.",
		"*Watches* fire, a watch once."
	m := fstest.MapFS{}
	for name, f := range shelf(t) {
		m[name] = f
	}
	delete(m, "searches/en.md")
	m["glossary/en.md"] = &fstest.MapFile{Data: []byte("# G\nLede.\n## watch: Watch / watches\nTold *once*.\n")}
	const first = "What A has made is a *znode*: a name, and a little data. ZooKeeper keeps a tree of them."
	replace(t, m, "what-zookeeper-is/en.md", first, before+"\n\n"+after)
	b, err := lessons.OpenFS(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := b.Page("what-zookeeper-is", "en")
	const want = `<p>Here <code>watch</code> is code, <a href="../lessons/the-herd">a watch</a> a link, ` +
		`a <em>stopwatch</em> another word.</p>` + "\n" +
		`<p><em><a href="../glossary#watch" title="Told once." class="term">Watches</a></em> fire, a watch once.</p>`
	if !strings.HasSuffix(p.Steps[0].HTML, want) {
		t.Errorf("the words are\n%s", p.Steps[0].HTML)
	}
}
