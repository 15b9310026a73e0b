// Package template stands in for text/template in the page's program, as static/pack builds it. Ebiten makes the source
// of its shaders with that, from a few conditions. The real one can call any method by its name, so the linker would
// have to keep all exported methods of all types, a sixth of the download.
//
// It knows if, else if, else and end, and as conditions a field of type bool or the equality of two of type int.
// Parse refuses everything else. Nothing imports it under this name but its tests, which compare the two.
package template

import (
	"errors"
	"io"
	"reflect"
	"strings"
)

// Template is a parsed text.
type Template struct {
	pieces []string // text and actions in turn, from the first text to the last
}

// New returns an empty template. The name is for messages of the real one.
func New(string) *Template { return &Template{} }

// Must returns the template, or panics if there is an error.
func Must(t *Template, err error) *Template {
	if err != nil {
		panic(err)
	}
	return t
}

// Parse reads the text of the template.
func (t *Template) Parse(text string) (*Template, error) {
	var open []bool // for each if, whether its else has come
	for {
		before, rest, found := strings.Cut(text, "{{")
		t.pieces = append(t.pieces, before)
		if !found {
			break
		}
		action, rest, found := strings.Cut(rest, "}}")
		words := strings.Fields(action)
		inner := len(open) - 1
		switch {
		case !found || !known(words) || words[0] != "if" && inner < 0:
			return nil, errors.New("template: can't parse {{" + action)
		case words[0] == "if":
			open = append(open, false)
		case words[0] == "end":
			open = open[:inner]
		case open[inner]:
			return nil, errors.New("template: another else after else")
		default:
			open[inner] = len(words) == 1
		}
		t.pieces = append(t.pieces, action)
		text = rest
	}
	if len(open) > 0 {
		return nil, errors.New("template: an if without end")
	}
	return t, nil
}

// known reports whether the action is one of this package's.
func known(words []string) bool {
	field := func(i int) bool { return len(words[i]) > 1 && words[i][0] == '.' }
	switch n := len(words); {
	case n == 0:
		return false
	case words[0] == "end":
		return n == 1
	case words[0] == "else":
		return n == 1 || words[1] == "if" && known(words[1:])
	}
	return words[0] == "if" && (len(words) == 2 && field(1) || len(words) == 4 && words[1] == "eq" && field(2) && field(3))
}

// branch is an if that is open.
type branch struct {
	around bool // whether what is around it is written
	over   bool // whether one of its parts was written, or is
	now    bool // whether the part is written that comes now
}

// Execute writes the text for data, a struct.
func (t *Template) Execute(w io.Writer, data any) error {
	v := reflect.ValueOf(data)
	now := branch{now: true}
	var outer []branch
	for i, piece := range t.pieces {
		words := strings.Fields(piece)
		switch {
		case i%2 == 0:
			if !now.now {
				continue
			}
			if _, err := io.WriteString(w, piece); err != nil {
				return err
			}
		case words[0] == "if":
			outer = append(outer, now)
			now = branch{around: now.now}
			now.enter(holds(v, words[1:]))
		case words[0] == "end":
			now, outer = outer[len(outer)-1], outer[:len(outer)-1]
		default:
			now.enter(len(words) == 1 || holds(v, words[2:]))
		}
	}
	return nil
}

// enter begins a part of an if, under the condition.
func (b *branch) enter(holds bool) {
	b.now = b.around && !b.over && holds
	b.over = b.over || b.now
}

// holds computes a condition.
func holds(v reflect.Value, words []string) bool {
	field := func(word string) reflect.Value { return v.FieldByName(word[1:]) }
	if len(words) == 1 {
		return field(words[0]).Bool()
	}
	return field(words[1]).Int() == field(words[2]).Int()
}
