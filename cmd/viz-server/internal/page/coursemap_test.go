package page_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/lessons"
)

// box is a rectangle: a piece of a line, a circle or a label.
type box struct {
	what, edge     string // edge names the lesson that a line comes from
	x0, y0, x1, y1 float64
}

func (a box) meets(b box) bool { return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 }

// The width of a letter of the map's largest and heaviest text, and half the width of a line, in its units.
const (
	letter   = 9
	halfLine = 1
)

var (
	aWay   = regexp.MustCompile(`<path class="way" d="M(\d+) (\d+)V(\d+)(?:Q(\d+) (\d+) (\d+) (\d+)H(\d+))?"`)
	aStop  = regexp.MustCompile(`(?s)data-lesson="([^"]*)"[^>]*><title>[^<]*</title><circle cx="(\d+)" cy="(\d+)" r="(\d+)"`)
	aLabel = regexp.MustCompile(`<text class="(?:row-name|stop-name)" x="(\d+)" y="(\d+)">([^<]*)</text>`)
	aSheet = regexp.MustCompile(`(?s)<svg viewBox="0 0 (\d+) (\d+)".*?</svg>`)
)

// drawn returns the pieces of each sheet of the map of a course.
func drawn(t *testing.T, parts []lessons.Part) (sheets [][]box) {
	t.Helper()
	p := home(t)
	p.Parts = parts
	var b strings.Builder
	if err := page.Home(p).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	_, drawing, _ := strings.Cut(b.String(), `<div class="course-map"`)
	drawing, _, _ = strings.Cut(drawing, "</div>")
	for _, sheet := range aSheet.FindAllStringSubmatch(drawing, -1) {
		var all []box
		at := map[string]string{} // the lessons by their places
		for _, m := range aStop.FindAllStringSubmatch(sheet[0], -1) {
			x, y, r := num(m[2]), num(m[3]), num(m[4])
			all = append(all, box{"stop " + m[1], m[1], x - r, y - r, x + r, y + r})
			at[fmt.Sprintf("%.0f %.0f", x, y+r)] = m[1]
		}
		for _, m := range aWay.FindAllStringSubmatch(sheet[0], -1) {
			x, y, toy := num(m[1]), num(m[2]), num(m[3])
			from := at[m[1]+" "+m[2]]
			if from == "" {
				t.Errorf("a line begins at no lesson: %s", m[0])
			}
			all = append(all, box{"line", from, x - halfLine, y, x + halfLine, toy})
			if m[8] != "" {
				all = append(all, box{"line", from, x + 2*halfLine, num(m[7]) - halfLine, num(m[8]), num(m[7]) + halfLine},
					box{"line", from, x - halfLine, toy, num(m[6]), num(m[7])})
			}
		}
		for _, m := range aLabel.FindAllStringSubmatch(sheet[0], -1) {
			x, y := num(m[1]), num(m[2])
			all = append(all, box{"label " + m[3], "", x, y - 11, x + letter*float64(utf8.RuneCountInString(m[3])), y + 3})
		}
		whole := box{x1: num(sheet[1]), y1: num(sheet[2])}
		for _, piece := range all {
			wide := !strings.HasPrefix(piece.what, "label") && piece.x1 > whole.x1
			if piece.x0 < 0 || piece.y0 < 0 || piece.y1 > whole.y1 || wide {
				t.Errorf("%+v sticks out of the sheet %+v", piece, whole)
			}
		}
		sheets = append(sheets, all)
	}
	return sheets
}

func num(s string) float64 { n, _ := strconv.ParseFloat(s, 64); return n }

// checkMap checks that no line of the map crosses another one, a lesson or a label, and that no two of these overlap.
// Lines from one lesson begin as one.
func checkMap(t *testing.T, parts []lessons.Part) {
	t.Helper()
	for _, all := range drawn(t, parts) {
		for i, a := range all {
			for _, b := range all[:i] {
				siblings := a.what == "line" && b.what == "line" && a.edge == b.edge
				if a.meets(b) && !siblings {
					t.Errorf("%s of %s crosses %s of %s: %+v, %+v", a.what, a.edge, b.what, b.edge, a, b)
				}
			}
		}
	}
}

// TestNoLineOfTheMapCrosses checks the map of the course, and of two hundred others: whatever builds on whatever, it
// can be drawn.
func TestNoLineOfTheMapCrosses(t *testing.T) {
	book, err := lessons.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	parts := book.Parts(lessons.Source)
	checkMap(t, parts)
	lines := 0
	for _, sheet := range drawn(t, parts) {
		froms := map[string]bool{}
		for _, b := range sheet {
			if b.what == "line" && b.y1-b.y0 > 2*halfLine {
				froms[b.edge] = true
			}
		}
		lines += len(froms)
	}
	builtOn := map[string]bool{}
	for _, p := range parts {
		for _, l := range p.Lessons {
			if len(l.After) > 0 {
				builtOn[l.After[0].Slug] = true
			}
		}
	}
	if lines < len(builtOn) {
		t.Errorf("lines begin at %d lessons, and others build on %d", lines, len(builtOn))
	}
	for seed := range uint64(200) {
		if checkMap(t, randomCourse(rand.New(rand.NewPCG(seed, 1)))); t.Failed() {
			t.Fatalf("the course of seed %d", seed)
		}
	}
}

func randomCourse(r *rand.Rand) (parts []lessons.Part) {
	var before []*lessons.Page
	for i := range 1 + r.IntN(7) {
		p := lessons.Part{ID: fmt.Sprint("part-", i), Title: "A part"}
		for range 1 + r.IntN(8) {
			l := &lessons.Page{Slug: fmt.Sprint("lesson-", len(before)), Number: len(before),
				Title: strings.Repeat("A word ", 1+r.IntN(8)), Steps: []lessons.PageStep{{Anchor: "a"}}}
			for range min(len(before), r.IntN(3)) {
				after := before[r.IntN(len(before))]
				link := lessons.PageLink{Slug: after.Slug, Title: after.Title}
				if !slices.Contains(l.After, link) {
					l.After = append(l.After, link)
				}
			}
			before = append(before, l)
			p.Lessons = append(p.Lessons, l)
		}
		parts = append(parts, p)
	}
	return parts
}

// TestTheMapNamesAllThatALessonBuildsOn checks the numbers of the lessons from which no line leads.
func TestTheMapNamesAllThatALessonBuildsOn(t *testing.T) {
	one := func(n int, after ...lessons.PageLink) *lessons.Page {
		return &lessons.Page{Slug: fmt.Sprint("l", n), Number: n, Title: "Title", After: after,
			Steps: []lessons.PageStep{{Anchor: "a"}}}
	}
	link := func(n int) lessons.PageLink { return lessons.PageLink{Slug: fmt.Sprint("l", n)} }
	parts := []lessons.Part{{ID: "a", Lessons: []*lessons.Page{one(1), one(2, link(1)), one(3, link(2), link(1))}}}
	var labels []string
	for _, sheet := range drawn(t, parts) {
		for _, b := range sheet {
			if text, ok := strings.CutPrefix(b.what, "label "); ok && text != "" {
				labels = append(labels, text)
			}
		}
	}
	if want := []string{"Title", "Title", "Title (and 1)"}; !slices.Equal(labels, want) {
		t.Errorf("the labels are %q, want %q", labels, want)
	}
}
