// Package regexp stands in for regexp in the page's program, as static/pack builds it. The real one knows the classes
// of Unicode by name, so their tables would come along.
//
// It has what Ebiten and the names of znodes need: literals, classes, groups, alternatives, greedy repetition, the ends
// of the text, and (?i) at the start. MustCompile panics about everything else. A search takes time in proportion to
// the text, as in the real one. Nothing imports it under this name but its tests, which compare the two.
package regexp

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Regexp is a compiled expression: a program for a machine with many threads, of which the first ones have precedence.
// It searches one text at a time, since in a page nothing runs beside it.
type Regexp struct {
	code      []step
	groups    []string // their names; the first is the whole match
	now, next threads
}

// step is an instruction.
type step struct {
	do   action
	set  set // of one
	x, y int // where fork goes on, first and second; the number under which note notes the position
}

type action uint8

const (
	one   action = iota // reads a rune of the set
	fork                // goes on at two places
	note                // notes the position
	start               // goes on at the start of the text
	stop                // goes on at its end
	found
)

// set is a set of runes.
type set struct {
	not    bool   // it has all others
	ranges []rune // the first and last of each
}

func (s *set) has(c rune) bool {
	for i := 0; i < len(s.ranges); i += 2 {
		if s.ranges[i] <= c && c <= s.ranges[i+1] {
			return !s.not
		}
	}
	return s.not
}

// MustCompile returns the expression that a text describes.
func MustCompile(text string) *Regexp {
	p := parser{text: text, rest: text, Regexp: Regexp{groups: []string{""}}}
	p.fold = p.skip("(?i)")
	p.put(step{do: note, x: 0})
	p.alternatives()
	p.must(p.rest == "")
	p.put(step{do: note, x: 1})
	p.put(step{do: found})
	p.now.seen, p.next.seen = make([]bool, len(p.code)), make([]bool, len(p.code))
	return &p.Regexp
}

// parser writes the program of an expression while it reads the text.
type parser struct {
	Regexp
	text, rest string
	fold       bool // upper and lower case are the same
}

func (p *parser) must(ok bool) {
	if !ok {
		panic("regexp: can't compile " + strconv.Quote(p.text))
	}
}

func (p *parser) put(s step) { p.code = append(p.code, s) }

// insert puts a fork before what has been written since a place. Whatever goes on there moves along.
func (p *parser) insert(at int) {
	p.code = slices.Insert(p.code, at, step{do: fork, x: at + 1})
	for i := at + 1; i < len(p.code); i++ {
		if s := &p.code[i]; s.do == fork {
			s.x, s.y = s.x+1, s.y+1
		}
	}
}

// skip reads a text if it comes next, and reports whether it did.
func (p *parser) skip(text string) (ok bool) {
	p.rest, ok = strings.CutPrefix(p.rest, text)
	return ok
}

func (p *parser) rune() rune {
	c, size := utf8.DecodeRuneInString(p.rest)
	p.must(size > 0)
	p.rest = p.rest[size:]
	return c
}

func (p *parser) alternatives() {
	at := len(p.code)
	for p.rest != "" && p.rest[0] != '|' && p.rest[0] != ')' {
		p.repeated()
	}
	if !p.skip("|") {
		return
	}
	p.insert(at)
	over := len(p.code)
	p.put(step{do: fork})
	p.code[at].y = len(p.code)
	p.alternatives()
	p.code[over].x, p.code[over].y = len(p.code), len(p.code)
}

// repeated reads what one sign stands for, and how often it may come.
func (p *parser) repeated() {
	at, text, groups := len(p.code), p.rest, len(p.groups)
	p.one()
	least, most := 1, 1
	switch {
	case p.skip("*"):
		least, most = 0, -1
	case p.skip("+"):
		most = -1
	case p.skip("?"):
		least = 0
	case p.skip("{"):
		least = p.number()
		most = least
		if p.skip(",") {
			most = p.number()
		}
		p.must(p.skip("}") && 0 < most && least <= most)
	default:
		return
	}
	p.must(p.rest == "" || !strings.ContainsRune("*+?{", rune(p.rest[0])))
	rest := p.rest
	again := func() int { // reads it once more
		p.rest, p.groups = text, p.groups[:groups]
		from := len(p.code)
		p.one()
		p.rest = rest
		return from
	}
	for range least - 1 {
		at = again()
	}
	if most < 0 {
		p.put(step{do: fork, x: at, y: len(p.code) + 1})
	}
	if least == 0 {
		p.insert(at)
		p.code[at].y = len(p.code)
	}
	var forks []int
	for range most - max(least, 1) {
		from := again()
		p.insert(from)
		forks = append(forks, from)
	}
	for _, at := range forks {
		p.code[at].y = len(p.code)
	}
}

func (p *parser) number() int {
	n := 0
	for n < len(p.rest) && '0' <= p.rest[n] && p.rest[n] <= '9' {
		n++
	}
	x, err := strconv.Atoi(p.rest[:n])
	p.must(err == nil)
	p.rest = p.rest[n:]
	return x
}

// one reads a rune, a class, a group, or an end of the text.
func (p *parser) one() {
	switch c := p.rune(); c {
	case '^':
		p.put(step{do: start})
	case '$':
		p.put(step{do: stop})
	case '.':
		p.put(step{set: set{not: true, ranges: []rune("\n\n")}})
	case '[':
		p.class()
	case '(':
		p.group()
	case '\\':
		switch {
		case p.skip("A"):
			p.put(step{do: start})
		case p.skip("z"):
			p.put(step{do: stop})
		default:
			var s set
			p.escaped(&s)
			p.put(step{set: s})
		}
	default:
		p.must(!strings.ContainsRune("*+?{}]", c))
		var s set
		p.add(&s, c, c)
		p.put(step{set: s})
	}
}

func (p *parser) group() {
	name, i := "", len(p.groups)
	switch {
	case p.skip("?:"):
		p.alternatives()
		p.must(p.skip(")"))
		return
	case p.skip("?P<"):
		name, p.rest, _ = strings.Cut(p.rest, ">")
	}
	p.groups = append(p.groups, name)
	p.put(step{do: note, x: 2 * i})
	p.alternatives()
	p.must(p.skip(")"))
	p.put(step{do: note, x: 2*i + 1})
}

func (p *parser) class() {
	s := set{not: p.skip("^")}
	p.must(p.rest != "" && p.rest[0] != ']')
	for !p.skip("]") {
		first := p.rune()
		switch {
		case first == '\\':
			p.escaped(&s)
		case p.skip("-"):
			last := p.rune()
			p.must(first <= last && last != ']' && last != '\\')
			p.add(&s, first, last)
		default:
			p.must(first != '[')
			p.add(&s, first, first)
		}
	}
	p.put(step{set: s})
}

// escaped reads what comes after a backslash into a set.
func (p *parser) escaped(s *set) {
	switch c := p.rune(); c {
	case 'd':
		p.add(s, '0', '9')
	case 's':
		s.ranges = append(s.ranges, '\t', '\n', '\f', '\r', ' ', ' ')
	case 'n':
		p.add(s, '\n', '\n')
	case 'r':
		p.add(s, '\r', '\r')
	case 't':
		p.add(s, '\t', '\t')
	default:
		p.must(strings.ContainsRune(`\.+*?()|[]{}^$-`, c))
		p.add(s, c, c)
	}
}

func (p *parser) add(s *set, first, last rune) {
	s.ranges = append(s.ranges, first, last)
	for c := first; p.fold && c <= last; c++ {
		for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
			s.ranges = append(s.ranges, other, other)
		}
	}
}

// SubexpIndex returns the index of the group of a name, -1 if there is none.
func (r *Regexp) SubexpIndex(name string) int { return slices.Index(r.groups, name) }

// MatchString reports whether there is a match in the text.
func (r *Regexp) MatchString(text string) bool {
	_, ok := r.find(text, nil)
	return ok
}

// FindStringSubmatch returns the first match in the text, and what its groups match.
func (r *Regexp) FindStringSubmatch(text string) []string {
	at := r.FindStringSubmatchIndex(text)
	if at == nil {
		return nil
	}
	all := make([]string, len(r.groups))
	for i := range all {
		if at[2*i] >= 0 {
			all[i] = text[at[2*i]:at[2*i+1]]
		}
	}
	return all
}

// ReplaceAllString puts a text in the place of each match. No match may be empty.
func (r *Regexp) ReplaceAllString(text, with string) string {
	done := ""
	for {
		at := r.FindStringSubmatchIndex(text)
		if at == nil {
			return done + text
		}
		done, text = done+text[:at[0]]+with, text[at[1]:]
	}
}

// thread is a place in the program, and what was noted on the way there.
type thread struct {
	at    int
	notes []int
}

// threads holds those that have read as much of the text, the first before the others, at most one at each place.
type threads struct {
	all  []thread
	seen []bool // by the place
}

func (l *threads) clear() {
	l.all = l.all[:0]
	clear(l.seen)
}

// FindStringSubmatchIndex returns where the first match and its groups begin and end in the text, -1 for a group
// without a part in it.
func (r *Regexp) FindStringSubmatchIndex(text string) []int {
	at, _ := r.find(text, slices.Repeat([]int{-1}, 2*len(r.groups)))
	return at
}

// find searches a text, and notes positions if there is room for them.
func (r *Regexp) find(text string, none []int) (notes []int, ok bool) {
	now, next := &r.now, &r.next
	now.clear()
	anchored := r.code[1].do == start
	for at := 0; ; {
		if !ok && (at == 0 || !anchored) {
			r.follow(now, text, at, 0, none)
		}
		c, size := utf8.DecodeRuneInString(text[at:])
		next.clear()
		for _, t := range now.all {
			s := &r.code[t.at]
			if s.do == found {
				notes, ok = t.notes, true
				break // the others have no precedence
			}
			if size > 0 && s.set.has(c) {
				r.follow(next, text, at+size, t.at+1, t.notes)
			}
		}
		if size == 0 || len(next.all) == 0 && (ok || anchored) {
			return notes, ok
		}
		at += size
		now, next = next, now
	}
}

// follow adds the threads at the next runes that the program reads from a place.
func (r *Regexp) follow(l *threads, text string, pos, at int, notes []int) {
	if l.seen[at] {
		return
	}
	l.seen[at] = true
	switch s := &r.code[at]; s.do {
	case fork:
		r.follow(l, text, pos, s.x, notes)
		r.follow(l, text, pos, s.y, notes)
	case note:
		if notes != nil {
			notes = slices.Clone(notes)
			notes[s.x] = pos
		}
		r.follow(l, text, pos, at+1, notes)
	case start, stop:
		if s.do == start && pos == 0 || s.do == stop && pos == len(text) {
			r.follow(l, text, pos, at+1, notes)
		}
	default:
		l.all = append(l.all, thread{at, notes})
	}
}
