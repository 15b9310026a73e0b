package lessons_test

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
)

// TestEveryLessonEndsWithItsStory checks that the last step of each lesson has the pictures of the whole run, which are
// as large as the page says, and that no step has the name of that picture.
func TestEveryLessonEndsWithItsStory(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	book, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
	image := regexp.MustCompile(`<img class="picture in-\w+" src="([^"]*/story\.svg[^"]*)" alt="[^"]+" width="(\d+)" height="(\d+)"`)
	for _, l := range book.Lessons {
		if l.Step(page.StoryName) != nil {
			t.Errorf("%s: a step has the name of the story's picture", l.Slug)
		}
		_, _, html := webtest.Get(t, srv.URL+"/lessons/"+l.Slug)
		at, last := strings.Index(html, `<figure class="story"`), strings.Index(html, `id="`+l.Steps[len(l.Steps)-1].Anchor+`"`)
		if at < last || strings.Count(html, `<figure class="story"`) != 1 {
			t.Errorf("%s: its story isn't in its last step", l.Slug)
		}
		if !regexp.MustCompile(`<ul><li>[^<]+</li>`).MatchString(html) {
			t.Errorf("%s: its story isn't told in words", l.Slug)
		}
		found := image.FindAllStringSubmatch(html, -1)
		if len(found) != 4 {
			t.Errorf("%s: its story has %d pictures", l.Slug, len(found))
		}
		for _, m := range found {
			status, h, svg := webtest.Get(t, srv.URL+strings.ReplaceAll(m[1], "&amp;", "&"))
			if status != 200 || h.Get("Content-Type") != "image/svg+xml" || xml.Unmarshal([]byte(svg), new(struct{})) != nil {
				t.Errorf("%s: %d %v", m[1], status, h)
			}
			if want := fmt.Sprintf(`width="%s" height="%s"`, m[2], m[3]); !strings.Contains(svg, want) {
				t.Errorf("%s begins %.200s, want %s", m[1], svg, want)
			}
		}
	}
}

// TestTheStoryIsNoPreview checks that only a page has the story, and no recipe or missing lesson.
func TestTheStoryIsNoPreview(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	for path, want := range map[string]int{
		"/lessons/two-believe/story.svg?shape=low": 200,
		"/lessons/two-believe/story.png":           404,
		"/lessons/none/story.svg":                  404,
		"/recipes/story.svg":                       404,
	} {
		if status, _, _ := webtest.Get(t, srv.URL+path); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
}
