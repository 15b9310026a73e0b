package page_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/static"
)

var (
	pictures = regexp.MustCompile(`(?s)<picture>.*?</picture>`)
	sources  = regexp.MustCompile(
		`<source media="([^"]*)" srcset="/[a-z-]+/[^"]*\.svg\?theme=(light|dark)&amp;shape=(\w+)" width="(\d+)" height="(\d+)">`)
)

// TestPicturesHaveShapes checks that every picture comes in the shapes for small screens, with the size that the
// server draws, and in its usual shape on paper and everywhere else.
func TestPicturesHaveShapes(t *testing.T) {
	for name, html := range pages(t) {
		for _, p := range pictures.FindAllString(html, -1) {
			found := sources.FindAllStringSubmatch(p, -1)
			if len(found) == 0 || len(found) != strings.Count(p, "<source") || len(found) > 1 && name != "lesson" {
				t.Fatalf("%s has %s", name, p)
			}
			pair := len(found) > 1 && found[0][5] == "548"
			for _, s := range found {
				shape, ok := page.ShapeOf(s[3])
				width, height := shape.Size(pair)
				if !ok || s[4] != fmt.Sprint(width) || s[5] != fmt.Sprint(height) || !strings.Contains(p, `class="picture in-`+s[2]) {
					t.Errorf("%s has %s", name, p)
				}
				for query := range strings.SplitSeq(s[1], ", ") {
					if !strings.HasPrefix(query, "screen and (") {
						t.Errorf("%s: on paper %s may have the shape %s", name, p, shape)
					}
				}
			}
			if !strings.Contains(p, `width="760" height="470"`) {
				t.Errorf("%s: the usual size is missing in %s", name, p)
			}
		}
	}
}

// TestStepsHaveTheSameShapes checks that all steps' pictures have as many parts as the one that stands where the stage
// does: steps.js puts them there one by one.
func TestStepsHaveTheSameShapes(t *testing.T) {
	p := lesson(t)
	p.Lesson.Steps[1].Beside = "recipe=unique-lock"
	var b strings.Builder
	if err := page.Lesson(p).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	counts, pairs := map[int]bool{}, 0
	for _, picture := range pictures.FindAllString(b.String(), -1) {
		counts[strings.Count(picture, "<source")] = true
		pairs += strings.Count(picture, `height="548"`)
	}
	if len(counts) != 1 || pairs == 0 {
		t.Errorf("pictures have %v shapes besides the usual; %d are of two runs", counts, pairs)
	}
}

// TestTwoPicturesHaveTheirHeight checks that a picture of two runs has the height that the style sheet gives the stage.
func TestTwoPicturesHaveTheirHeight(t *testing.T) {
	css, err := static.Files.ReadFile("bench.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, shape := range []page.Shape{page.Tall, page.Low} {
		_, height := shape.Size(true)
		if want := fmt.Sprintf("--two-pictures: %dpx;", height); !strings.Contains(string(css), want) {
			t.Errorf("bench.css doesn't say %s, as the shape %s does", want, shape)
		}
	}
}
