package naming

import (
	"regexp"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
)

// recipe is a row of the table: how a recipe names znodes, and what a client with such a znode waits for.
type recipe struct {
	use   Use
	whose string
	name  string // a regular expression; its group "read", if any, matches only readers
	lasts bool   // its znodes are persistent

	// What must exist for the row to apply.
	sibling string // a persistent child of this name
	door    bool   // a folder in which clients queue to come in; see Door
	written bool   // many programs share the name: its digits count only if ZooKeeper can have assigned them

	// Which other znodes a client counts as competitors. It counts those of its own row, and those of rows that
	// speak a dialect that it hears. If told is set, its library can be configured to count more, so nobody knows
	// whether it does.
	speaks, hears dialect
	told          bool

	watches    bool // a waiting client watches the znode that it waits for, not the list
	byText     bool // it orders numbers as text: negative ones come first, the newer before the older
	digits     bool // its number is the last ten digits of more
	outlives   bool // a znode without a session holds, too,
	seldom     bool // although its library makes one only if it is told to
	reenters   bool // a session that writes may read
	lastWriter bool // a reader may wait for a writer behind it
	gathers    bool // nobody can tell whether those present still wait
	knocks     bool // a client at the door has created its znode, and isn't inside yet
}

// dialect is a part of a name by which programs recognize each other's znodes.
type dialect uint8

const (
	dash   dialect = 1 << iota // lock-
	under                      // __ before the number
	kazoos                     // __lock__ or __rlock__ before it
)

// counts tells whether a client counts another program's znode.
type counts uint8

const (
	never counts = iota
	perhaps
	always
)

// counts reports whether clients of the recipe count znodes of another.
func (r *recipe) counts(other *recipe) counts {
	switch {
	case r == other || r.hears&other.speaks != 0:
		return always
	case r.told:
		return perhaps
	}
	return never
}

// proved reports whether the row applies only because of what is beside the znodes.
func (r *recipe) proved() bool { return r.sibling != "" || r.door }

// order returns the key by which the recipe orders a name; ok is false if it has no number.
func (r *recipe) order(name string) (order int64, ok bool) {
	if r.digits && len(name) > numberDigits {
		name = name[len(name)-numberDigits:]
	}
	order, ok = event.Sequence(name)
	if r.byText && order < 0 {
		order = -order - 1<<40
	}
	return order, ok
}

const numberDigits = event.SequenceDigits

// pattern matches names.
type pattern struct {
	re   *regexp.Regexp // not embedded: its methods would be in the page's program once more
	has  string         // a substring of all such names
	read int            // the group's index, -1 if none
}

func patterns(of []recipe) []pattern {
	all := make([]pattern, len(of))
	for i := range of {
		p := &all[i]
		p.re = regexp.MustCompile(of[i].name)
		p.has = literal(of[i].name)
		p.read = p.re.SubexpIndex("read")
	}
	return all
}

func (p *pattern) matches(name string) bool {
	return strings.Contains(name, p.has) && p.re.MatchString(name)
}

// reads reports whether a matching name asks to read.
func (p *pattern) reads(name string) bool {
	return p.read >= 0 && p.re.FindStringSubmatchIndex(name)[2*p.read] >= 0
}

// literal returns the longest text that all names of a pattern contain: without it, nothing needs to be matched. It
// looks only outside of groups.
func literal(text string) (longest string) {
	if strings.HasPrefix(text, "(?i)") {
		return ""
	}
	run, depth := "", 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case depth == 0 && strings.IndexByte("^$.?*+", c) < 0:
			run += string(c)
			if i+1 == len(text) || strings.IndexByte("?*{", text[i+1]) < 0 {
				if len(run) > len(longest) {
					longest = run
				}
				continue
			}
		}
		run = ""
	}
	return longest
}
