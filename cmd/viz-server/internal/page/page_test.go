package page_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/lessons"
)

// pages renders every page with canned props. With ZKVIZ_STORYBOOK set to a folder, the test writes them there.
func pages(t *testing.T) map[string]string {
	t.Helper()
	off := live(t)
	off.Servers = ""
	broken := notFound(t)
	broken.Status = 500
	out := map[string]string{}
	for name, c := range map[string]templ.Component{
		"home":     page.Home(home(t)),
		"lesson":   page.Lesson(lesson(t)),
		"live":     page.Live(live(t)),
		"live-off": page.Live(off),
		"compare":  page.Compare(comparison(t)),
		"locks":    page.Locks(locks(t)),
		"recipes":  page.Recipes(recipes(t)),
		"404":      page.Error(notFound(t)),
		"500":      page.Error(broken),
	} {
		var b bytes.Buffer
		if err := c.Render(context.Background(), &b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = b.String()
		if dir := os.Getenv("ZKVIZ_STORYBOOK"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, name+".html"), b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// forbidden lists markup that must not occur. The security policy refuses most of it.
var forbidden = map[string]*regexp.Regexp{
	"an inline script":     regexp.MustCompile(`<script(?:>| [^>]*>)[^<]`),
	"an inline style":      regexp.MustCompile(`<style|\sstyle=`),
	"an inline handler":    regexp.MustCompile(`<[^>"']*(?:"[^"]*"[^>"']*)*\son[a-z]+=`),
	"a foreign address":    regexp.MustCompile(`(?:src|href)="(?:https?:)?//`),
	"an unescaped tag":     regexp.MustCompile(`<img src=x`),
	"a missing string":     regexp.MustCompile(`>(?:home|lesson|live|tip|key|nav|error)\.[a-z.-]+<`),
	"an unfilled argument": regexp.MustCompile(`>[^<{]*\{\d\}[^<]*<`),
}

func TestPagesObeyThePolicy(t *testing.T) {
	for name, html := range pages(t) {
		html = regexp.MustCompile(`(?s)<script id="strings" type="application/json">.*?</script>`).ReplaceAllString(html, "")
		html = strings.NewReplacer(` data-failed="`, ` x="`).Replace(html)
		for what, re := range forbidden {
			if found := re.FindString(html); found != "" {
				t.Errorf("%s has %s: %.120q", name, what, found)
			}
		}
	}
}

// TestLessonHasEveryPane checks that each ID that the panes and the browser tests use occurs exactly once.
func TestLessonHasEveryPane(t *testing.T) {
	html := pages(t)["lesson"]
	for _, id := range []string{"log", "why", "inspector", "chart", "source", "verdict", "counts", "timeline", "clock",
		"branches", "link", "stage", "strings", "announce"} {
		if n := strings.Count(html, ` id="`+id+`"`); n != 1 {
			t.Errorf("the lesson's page has %d elements with the id %q, want 1", n, id)
		}
	}
}

// TestPlayingIsNotReadAloud checks that screen readers don't announce the parts that change with every event.
func TestPlayingIsNotReadAloud(t *testing.T) {
	html := pages(t)["lesson"]
	for _, id := range []string{"log", "why", "inspector", "counts", "clock"} {
		tag := regexp.MustCompile(`<[^>]* id="` + id + `"[^>]*>`).FindString(html)
		if tag == "" || strings.Contains(tag, `role="status"`) || strings.Contains(tag, "aria-live") {
			t.Errorf("%q is read aloud: %s", id, tag)
		}
	}
}

// TestChallengeHasWordsForEveryState checks that the page has words for each state of an attempt, and for how well it
// is won.
func TestChallengeHasWordsForEveryState(t *testing.T) {
	html := pages(t)["lesson"]
	var all []string
	for _, state := range challenge.States() {
		all = append(all, string(state))
	}
	for _, level := range challenge.Levels() {
		all = append(all, string(level))
	}
	for _, state := range all {
		if _, words, found := strings.Cut(html, " data-"+state+"=\""); !found || strings.HasPrefix(words, "\"") {
			t.Errorf("the lesson's page says nothing of a challenge that is %s", state)
		}
	}
	if want := `data-open="Select a server and`; !strings.Contains(html, want) {
		t.Errorf("the page of a challenge about servers has no %s", want)
	}
}

// TestFaultsLastBeyondASession: what the reader finds chosen outlasts a session of the run, or is what the challenge's
// solution takes.
func TestFaultsLastBeyondASession(t *testing.T) {
	html := pages(t)["lesson"] // its sessions last 10 s
	list := regexp.MustCompile(`(?s)<select id="fault-for".*?</select>`).FindString(html)
	if chosen := regexp.MustCompile(`value="(\w+)" selected`).FindAllStringSubmatch(list, -1); len(chosen) != 1 ||
		chosen[0][1] != "15s" || strings.Count(list, "<option") != len(fault.Lengths()) {
		t.Errorf("the lengths are %s", list)
	}
	if want := `data-lasts="30s"`; strings.Count(html, want) != 1 {
		t.Errorf("the challenge has no %s", want)
	}
	lab := render(t, page.Lab(page.LabProps{Frame: frame(t, "lab"), Recipe: "children-lock", SessionTimeout: "20s"}))
	if chip := regexp.MustCompile(`id="chip-for"[^>]* value="(\w+)"`).FindStringSubmatch(lab); chip == nil || chip[1] != "30" {
		t.Errorf("in the lab a fault lasts %v", chip)
	}
}

// TestRepairShowsTheProgram checks that a repair shows the program around its gap, in which the script shows one choice
// at a time. Without JavaScript each choice and its outcome can be read.
func TestRepairShowsTheProgram(t *testing.T) {
	_, html, _ := strings.Cut(pages(t)["lesson"], `<fieldset class="repair"`)
	html, _, _ = strings.Cut(html, "</fieldset>")
	if n := strings.Count(html, "data-shown"); n != 1 || !strings.Contains(html, `data-patch="" data-shown`) {
		t.Errorf("%d things are in the gap at first", n)
	}
	gap, choices, _ := strings.Cut(html, "<label")
	tags := regexp.MustCompile(`<[^>]*>`)
	if got := tags.ReplaceAllString(gap, ""); !regexp.MustCompile(
		`(?s)for {.*\tx := &lt;-c.*\?.*\treturn nil.*\tif x &lt; 1 {.*\t}.*}`).MatchString(got) {
		t.Errorf("the program is %s", got)
	}
	choices, after, _ := strings.Cut(choices, "<details")
	for _, want := range []string{`value="in" data-from="/api/explore?recipe=no-second-look"`, ">return nil<",
		`value="again" data-from="/api/explore?recipe=predecessor-lock"`, ">if x &lt; 1 {\n}<", `data-repair="try" disabled`} {
		if strings.Count(choices, want) != 1 {
			t.Errorf("the choices have %d of %s", strings.Count(choices, want), want)
		}
	}
	text := strings.Join(strings.Fields(tags.ReplaceAllString(after, " ")), " ")
	for _, want := range []string{"It breaks a promise. Go in — Somebody is inside.",
		"It keeps its promises. Look again — The list shows everybody."} {
		if !strings.Contains(text, want) {
			t.Errorf("without a script one reads %q, without %q", text, want)
		}
	}
}

// TestOrderShowsTheLines checks that lines to put in order are shown as shuffled, each with what order.js needs and
// with buttons that say what they move. Without JavaScript the right order can be read.
func TestOrderShowsTheLines(t *testing.T) {
	_, html, _ := strings.Cut(pages(t)["lesson"], `<fieldset class="order"`)
	html, _, _ = strings.Cut(html, "</fieldset>")
	lines, answer, _ := strings.Cut(html, "<details")
	for _, want := range []string{
		`data-place="2" data-event="44" data-at="3.4" data-why="Nobody tells B before A has left."`,
		`data-move="-1" aria-label="Move up: B is told" disabled`, `data-move="1" aria-label="Move down: B is told">`,
		`data-move="-1" aria-label="Move up: A leaves">`, `data-move="1" aria-label="Move down: A leaves" disabled`,
	} {
		if strings.Count(lines, want) != 1 {
			t.Errorf("the lines have %d of %s", strings.Count(lines, want), want)
		}
	}
	text := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(answer, " ")), " ")
	want := "A leaves 3.0 s — Its hold is over. B is told 3.4 s — Nobody tells B before A has left."
	if !strings.Contains(text, want) {
		t.Errorf("without a script one reads %q, without %q", text, want)
	}
}

// TestLessonLeadsToTheNext checks that the last step's button leads to the next lesson, if there is one.
func TestLessonLeadsToTheNext(t *testing.T) {
	const button = `class="button primary next-lesson" href="`
	for _, next := range []*lessons.PageLink{{Slug: "next", Title: "Next"}, nil} {
		p := lesson(t)
		p.Lesson.Next = next
		var b bytes.Buffer
		if err := page.Lesson(p).Render(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		_, to, found := strings.Cut(b.String(), button)
		if found != (next != nil) || found && !strings.HasPrefix(to, "/lessons/next") {
			t.Errorf("with the next lesson %v, the page has a button to it: %v, to %.30q", next, found, to)
		}
	}
}

// TestLessonReadsWithoutScript checks that without JavaScript every step can be read in order, with its picture.
func TestLessonReadsWithoutScript(t *testing.T) {
	html := pages(t)["lesson"]
	at := 0
	for _, s := range lesson(t).Lesson.Steps {
		for _, part := range []string{`id="` + s.Anchor + `"`, s.HTML, "/lessons/the-herd/" + s.Anchor +
			".svg?theme=light"} {
			i := strings.Index(html[at:], part)
			if i < 0 {
				t.Fatalf("step %s: %.60q is missing or out of order", s.Anchor, part)
			}
			at += i
		}
	}
}

// TestLinksKeepTheLanguage checks that links to other pages keep the language.
func TestLinksKeepTheLanguage(t *testing.T) {
	p := lesson(t)
	p.Lang = "es"
	var b bytes.Buffer
	if err := page.Lesson(p).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`<a [^>]*href="(/[^"]*)"[^>]*>`).FindAllStringSubmatch(b.String(), -1)
	if len(links) < 6 {
		t.Fatalf("the page has %d links only", len(links))
	}
	for _, l := range links {
		if !strings.HasPrefix(l[1], "/es/") && !strings.Contains(l[0], "hreflang") {
			t.Errorf("the link to %s loses the language", l[1])
		}
	}
}

// TestStringsExist checks that every string that the parts use exists.
func TestStringsExist(t *testing.T) {
	w := frame(t, "").Words
	key := regexp.MustCompile(`Say\("([a-z0-9.-]+)"`)
	files, err := filepath.Glob("*.templ")
	if err != nil || len(files) == 0 {
		t.Fatal("no parts found", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range key.FindAllStringSubmatch(string(text), -1) {
			if strings.HasSuffix(m[1], ".") { // a family, for example tip.*
				continue
			}
			if !w.Has(m[1]) {
				t.Errorf("%s: there is no string %q", file, m[1])
			}
		}
	}
}

func TestGoSourceKeepsTheText(t *testing.T) {
	for _, text := range []string{sampleSource, "not Go at all \x00 `unclosed", "", "a\n\nb"} {
		s := page.GoSource("x.go", text)
		var lines []string
		for i, l := range s.Lines {
			if l.Number != i+1 {
				t.Errorf("line %d is numbered %d", i+1, l.Number)
			}
			var b strings.Builder
			for _, tok := range l.Tokens {
				b.WriteString(tok.Text)
			}
			lines = append(lines, b.String())
		}
		if got, want := strings.Join(lines, "\n"), strings.TrimRight(text, "\n"); got != want {
			t.Errorf("the source came out as %q, want %q", got, want)
		}
	}
}

// TestLessonIsShared checks that every step can be shared, with a link to the lesson and not to the Lab.
func TestLessonIsShared(t *testing.T) {
	html := pages(t)["lesson"]
	if n := strings.Count(html, `data-do="share" data-to="/lessons/the-herd"`); n != 1 {
		t.Errorf("%d buttons share the lesson, want 1", n)
	}
}
