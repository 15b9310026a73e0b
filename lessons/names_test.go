package lessons_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var lessonByNumber = regexp.MustCompile(`(?i)\blessons? [0-9]+`)

var lessonLink = regexp.MustCompile(`\[([^\]]+)\]\(lesson:([a-z0-9-]+)\)`)

// TestLinksCallLessonsByTheirNames: a link to a lesson contains the lesson's title or its number. No number is fixed.
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
		if fixed := lessonByNumber.Find(text); fixed != nil {
			t.Errorf("%s says %q, which is false once a lesson comes before that: write {= place@NAME}", l.Slug, fixed)
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
