package lessons_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var lessonLink = regexp.MustCompile(`\[([^\]]+)\]\(lesson:([a-z0-9-]+)\)`)

// TestLinksCallLessonsByTheirNames: a link to a lesson contains the lesson's title or its number.
func TestLinksCallLessonsByTheirNames(t *testing.T) {
	b, links := open(t), 0
	names := map[string][2]string{}
	for _, l := range b.Lessons {
		names[l.Slug] = [2]string{l.Prose["en"].Title, "lesson {= place@" + l.Slug + "}"}
	}
	for _, l := range b.Lessons {
		text, err := os.ReadFile(l.Slug + "/en.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range lessonLink.FindAllStringSubmatch(string(text), -1) {
			links++
			if of := names[m[2]]; m[1] != of[0] && strings.ToLower(m[1]) != of[1] {
				t.Errorf("%s calls %s %q: it is %q, or %s", l.Slug, m[2], m[1], of[0], of[1])
			}
		}
	}
	if links < len(b.Lessons)-1 {
		t.Errorf("%d lessons have %d links", len(b.Lessons), links)
	}
}
