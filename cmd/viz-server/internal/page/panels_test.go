package page_test

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/lessons"
)

// TestPanelsAreFoldedInLessons checks that a lesson's panels are folded, and that the Lab and the subtrees show them.
func TestPanelsAreFoldedInLessons(t *testing.T) {
	panel := regexp.MustCompile(`<(?:aside|section) class="[a-z]+ panel[^"]*" id="panel-([a-z]+)" data-name="([a-z]+)"( hidden)?`)
	lab := render(t, page.Lab(page.LabProps{Frame: frame(t, "lab"), Recipe: "children-lock"}))
	for name, c := range map[string]struct {
		html   string
		panels string
		hidden string
	}{
		"lesson": {pages(t)["lesson"], "inspect source log", " hidden"},
		"lab":    {lab, "inspect source log", ""},
		"live":   {pages(t)["live"], "log", ""},
	} {
		var got []string
		for _, m := range panel.FindAllStringSubmatch(c.html, -1) {
			got = append(got, m[1])
			if m[1] != m[2] || m[3] != c.hidden {
				t.Errorf("%s: the panel %s begins %q, want %q", name, m[1], m[0], c.hidden)
			}
			button := strings.Contains(c.html, `data-panel="`+m[1]+`" aria-expanded="false" aria-controls="panel-`+m[1]+`"`)
			if button != (c.hidden != "") {
				t.Errorf("%s: the panel %s has a button: %v", name, m[1], button)
			}
		}
		if strings.Join(got, " ") != c.panels {
			t.Errorf("%s has the panels %q, want %q", name, got, c.panels)
		}
	}
}

// TestStepsOpenPanels checks that a step opens its panels, and with a challenge the inspector, which has the buttons.
func TestStepsOpenPanels(t *testing.T) {
	p := lesson(t)
	p.Lesson.Steps[1].Opens = []lessons.Panel{lessons.PanelLog, lessons.PanelSource}
	var got []string
	for _, m := range regexp.MustCompile(`data-opens="([^"]*)"`).FindAllStringSubmatch(render(t, page.Lesson(p)), -1) {
		got = append(got, m[1])
	}
	if want := []string{"", "log source", "", "inspect", "", ""}; !slices.Equal(got, want) {
		t.Errorf("the steps open %q, want %q", got, want)
	}
}

// TestLessonMarkup checks that choices have the same order with and without scripts, that the last step counts the
// first tries, and that Tab doesn't lead into the stage's frame, where no focus would show.
func TestLessonMarkup(t *testing.T) {
	html := pages(t)["lesson"]
	for _, m := range []string{
		`class="tally with-js" hidden`, `data-all="{0} of {1} `, `data-forget`, `id="single-keys" type="checkbox" checked`,
		`" tabindex="-1"></iframe>`,
	} {
		if n := strings.Count(html, m); n != 1 {
			t.Errorf("the lesson's page has %d times %s, want 1", n, m)
		}
	}
	at := 0
	for _, c := range lesson(t).Lesson.Steps[0].Question.Choices {
		i := strings.Index(html[at:], `value="`+c.ID+`"`)
		if i < 0 {
			t.Fatalf("the choice %s is missing or out of order", c.ID)
		}
		at += i
	}
}

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
