package page

import (
	"fmt"
	"strings"

	"github.com/zkviz/zkviz/lessons"
)

// courseMap is the drawing of the lessons' dependencies: a row for each part, and a line from each lesson to those that
// build on it. It is drawn in the units of its ViewBox.
type courseMap struct {
	ViewBox string
	Rows    []mapRow
	Lines   []string // SVG paths
}

type mapRow struct {
	Part  lessons.Part
	X, Y  string
	Stops []mapStop
}

type mapStop struct {
	Lesson *lessons.Page
	X, Y   string
	Words  []mapWord // the lines of the lesson's title
}

// mapWord is a line of a title.
type mapWord struct{ Text, X, Y string }

// The map's measures.
const (
	mapLeft   = 240 // x of a row's first lesson; the part's name stands to the left
	mapAcross = 132 // from lesson to lesson
	mapDown   = 118 // from row to row
	mapTop    = 34
	mapRadius = 20
	mapLine   = 16 // between two lines of a title
	mapLane   = 9  // between parallel vertical lines
	mapChars  = 15 // maximum length of a title's line
)

func newCourseMap(parts []lessons.Part) courseMap {
	type place struct{ x, y int }
	places := map[string]place{}
	m := courseMap{}
	most := 0
	for row, part := range parts {
		y := mapTop + row*mapDown
		r := mapRow{Part: part, X: "4", Y: itoa(y + 6)}
		most = max(most, len(part.Lessons))
		for i, l := range part.Lessons {
			at := place{mapLeft + i*mapAcross, y}
			places[l.Slug] = at
			s := mapStop{Lesson: l, X: itoa(at.x), Y: itoa(at.y)}
			for n, line := range broken(l.Title, mapChars) {
				s.Words = append(s.Words, mapWord{line, itoa(at.x), itoa(at.y + mapRadius + 18 + n*mapLine)})
			}
			r.Stops = append(r.Stops, s)
			for _, after := range l.After {
				if from, ok := places[after.Slug]; ok {
					m.Lines = append(m.Lines, curve(from.x, from.y, at.x, at.y))
				}
			}
		}
		m.Rows = append(m.Rows, r)
	}
	m.ViewBox = fmt.Sprintf("0 0 %d %d", mapLeft+most*mapAcross-mapAcross/2, mapTop+len(parts)*mapDown)
	return m
}

// curve returns the path from one lesson to another: straight to its neighbour, over those in between, or down to a
// later row.
func curve(x, y, tox, toy int) string {
	switch {
	case y == toy && tox-x == mapAcross:
		return fmt.Sprintf("M%d %dH%d", x+mapRadius, y, tox-mapRadius)
	case y == toy:
		return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x+mapRadius*7/10, y-mapRadius*7/10,
			x+mapAcross/3, y-mapRadius-22, tox-mapAcross/3, y-mapRadius-22, tox-mapRadius*7/10, y-mapRadius*7/10)
	}
	// Pass beside the titles and beside the lines from other rows.
	side := x - mapAcross/2 + (y/mapDown%3-1)*mapLane
	return fmt.Sprintf("M%d %dC%d %d %d %d %d %dV%dC%d %d %d %d %d %d", x-mapRadius*7/10, y+mapRadius*7/10,
		side+18, y+mapRadius, side, y+mapRadius+4, side, y+mapRadius+26, toy-mapRadius-34,
		side, toy-mapRadius-12, tox-6, toy-mapRadius-26, tox, toy-mapRadius)
}

// broken breaks a title into lines of about chars characters.
func broken(title string, chars int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(title) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > chars {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
