package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/lessons"
)

// courseMap is the drawing of the lessons' dependencies: a row for each lesson, and a line to it from the first of
// those that it builds on. Each lesson hangs on at most one line, so no two of them need cross (see lanes); the others
// that it builds on stand beside its title, as numbers. Titles stand right of all lines. It is drawn in two sheets,
// which stand beside each other where there is room, and below each other on a phone.
type courseMap struct{ Sheets []mapSheet }

// mapSheet is drawn in CSS px: on all but the narrowest screens it has that size.
type mapSheet struct {
	Width, Height string
	Names         []mapWord // of the parts, and of the row of lessons from the sheet before
	Lines         []string  // SVG paths
	Stops         []mapStop
}

type mapStop struct {
	Lesson *lessons.Page
	Before bool // it's from the sheet before, and has no title here
	X, Y   string
	Words  []mapWord // the lines of the lesson's title
	Row    mapRect   // what leads to the lesson, from its circle to its title; none before
}

type mapRect struct{ X, Y, Width, Height string }

// mapWord is a line of a text.
type mapWord struct{ Text, X, Y string }

// The map's measures.
const (
	mapSheets = 2
	mapRadius = 10
	mapAcross = 23 // from lane to lane
	mapTurn   = 9  // the radius with which a line turns into a row
	mapRow    = 32 // the height of a row
	mapLine   = 17 // and of each further line of its title
	mapChars  = 25 // maximum length of a title's line
	mapTitle  = 200
)

// newCourseMap draws the course.
func newCourseMap(parts []lessons.Part, say func(string, ...string) string) courseMap {
	m := courseMap{}
	whole := 0
	for _, p := range parts {
		whole += len(p.Lessons) + 1
	}
	for done, rows := 0, 0; done < len(parts); rows = 0 {
		from := done
		for done < len(parts) && (rows == 0 || rows+len(parts[done].Lessons)/2 < whole/mapSheets) {
			rows += len(parts[done].Lessons) + 1
			done++
		}
		m.Sheets = append(m.Sheets, newMapSheet(parts[:from], parts[from:done], say))
	}
	return m
}

// newMapSheet draws some parts of the course, which come after others.
func newMapSheet(before, parts []lessons.Part, say func(string, ...string) string) mapSheet {
	all := mapNodes(before, parts)
	column, columns := lanes(all)
	x := func(i int) int { return mapRadius + 4 + column[i]*mapAcross }
	left := mapRadius + 4 + columns*mapAcross
	s := mapSheet{Width: itoa(left + mapTitle)}
	y, at := 0, make([]int, len(all))
	row := func(lines int) int {
		y += mapRow + (lines-1)*mapLine
		return y - (mapRow+(lines-1)*mapLine)/2
	}
	name := func(text string) { s.Names = append(s.Names, mapWord{text, itoa(left), itoa(row(1) + 7)}) }
	if len(all) > 0 && all[0].before {
		name(say("course.map.before"))
	}
	part := ""
	for i, n := range all {
		stop := mapStop{Lesson: n.lesson, Before: n.before}
		if n.before {
			at[i] = y - mapRow/2
		} else {
			if n.part.ID != part {
				part = n.part.ID
				name(n.part.Title)
			}
			lines := broken(n.lesson.Title, mapChars)
			if more := also(n, all, before, parts, say); len([]rune(lines[len(lines)-1]+more)) <= mapChars {
				lines[len(lines)-1] += more
			} else {
				lines = append(lines, more[1:])
			}
			at[i] = row(len(lines))
			high := mapRow + (len(lines)-1)*mapLine
			stop.Row = mapRect{X: itoa(x(i) - mapRadius), Y: itoa(at[i] - high/2),
				Width: itoa(left + mapTitle - x(i) + mapRadius), Height: itoa(high)}
			for k, line := range lines {
				stop.Words = append(stop.Words, mapWord{line, itoa(left), itoa(at[i] + 5 + k*mapLine - (len(lines)-1)*mapLine/2)})
			}
		}
		stop.X, stop.Y = itoa(x(i)), itoa(at[i])
		s.Stops = append(s.Stops, stop)
		if n.parent >= 0 {
			s.Lines = append(s.Lines, wayTo(x(n.parent), at[n.parent], x(i), at[i]))
		}
	}
	s.Height = itoa(y)
	return s
}

// mapNode is a lesson on a sheet.
type mapNode struct {
	lesson *lessons.Page
	part   *lessons.Part
	before bool // it's from the sheet before
	row    int
	parent int // the node on whose line it hangs, -1 if it begins one
}

// mapNodes returns the lessons of a sheet: those of parts in a row each, and in a row above them all those of the parts
// before on which they hang.
func mapNodes(before, parts []lessons.Part) []mapNode {
	hung := map[string]bool{}
	for _, p := range parts {
		for _, l := range p.Lessons {
			if len(l.After) > 0 {
				hung[l.After[0].Slug] = true
			}
		}
	}
	var all []mapNode
	for i, p := range slices.Concat(before, parts) {
		for _, l := range p.Lessons {
			n := mapNode{lesson: l, part: &p, before: i < len(before), parent: -1}
			if n.before && !hung[l.Slug] {
				continue
			}
			if !n.before {
				n.row = len(all) + 1
				n.parent = slices.IndexFunc(all, func(o mapNode) bool {
					return len(l.After) > 0 && o.lesson.Slug == l.After[0].Slug
				})
			}
			all = append(all, n)
		}
	}
	return all
}

// lanes returns the column of each node, and how many columns there are. The last lesson that hangs on another
// continues its line straight down. Each earlier one branches off to the right, into a lane right beside: so there is
// no line between the two, and none is crossed. Lanes that have no row in common may have the same column.
func lanes(all []mapNode) (columns []int, most int) {
	type lane struct{ first, last, column int } // rows
	last := map[int]int{}                       // by node, the last one that hangs on it
	for i, n := range all {
		last[n.parent] = i
	}
	var order []*lane // from left to right
	in := make([]*lane, len(all))
	for i, n := range all {
		if n.parent >= 0 && last[n.parent] == i {
			in[i] = in[n.parent]
			in[i].last = n.row
			continue
		}
		at := len(order)
		if n.parent >= 0 {
			at = slices.Index(order, in[n.parent]) + 1
		}
		in[i] = &lane{first: n.row, last: n.row}
		order = slices.Insert(order, at, in[i])
	}
	for i, l := range order {
		for _, left := range order[:i] {
			if left.first <= l.last && l.first <= left.last {
				l.column = max(l.column, left.column+1)
			}
		}
		most = max(most, l.column+1)
	}
	for _, l := range in {
		columns = append(columns, l.column)
	}
	return columns, most
}

// wayTo returns the path from one lesson down to another, in its lane or in one to the right.
func wayTo(x, y, tox, toy int) string {
	if x == tox {
		return fmt.Sprintf("M%d %dV%d", x, y+mapRadius, toy-mapRadius)
	}
	return fmt.Sprintf("M%d %dV%dQ%d %d %d %dH%d", x, y+mapRadius, toy-mapTurn, x, toy, x+mapTurn, toy, tox-mapRadius)
}

// also names, by their numbers, the lessons that one builds on beside the one that its line comes from.
func also(n mapNode, all []mapNode, before, parts []lessons.Part, say func(string, ...string) string) string {
	var numbers []string
	for _, p := range slices.Concat(before, parts) {
		for _, l := range p.Lessons {
			builds := func(after lessons.PageLink) bool { return after.Slug == l.Slug }
			if slices.ContainsFunc(n.lesson.After, builds) && (n.parent < 0 || all[n.parent].lesson != l) {
				numbers = append(numbers, itoa(l.Number))
			}
		}
	}
	if len(numbers) == 0 {
		return ""
	}
	return " " + say("course.map.also", strings.Join(numbers, ", "))
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
