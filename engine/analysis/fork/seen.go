package fork

import (
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Seen is what was seen of a forked line: who got in or took something, as visits of the fork's clients. A run is
// compared with it.
type Seen struct {
	Use    naming.Use // that a recipe must have
	Single bool       // all want one znode, without a queue

	holds []hold
	open  []visit // those that waited when the window ended, or came later
}

// Kind returns what a recipe must be to stand for it: a naming.Use, or event.DrawName for a lock that is a single
// znode. recipes.Standing knows which recipe does.
func (f *Seen) Kind() string {
	if f.Single {
		return string(event.DrawName)
	}
	return string(f.Use)
}

// String writes f for an address, as ParseSeen reads it: the kind, then the visits. A visit has the client and its
// number. If it got in, three times in milliseconds follow: when it came, how long it waited and how long it held.
// Then comes x if its session expired, or o if its end isn't known. The text contains no path and no name.
func (f *Seen) String() string {
	text := []byte(f.Kind())
	add := func(before byte, n int64) { text = strconv.AppendInt(append(text, before), n, 10) }
	who := func(v visit) {
		add('_', int64(v.client))
		add('.', int64(v.number))
	}
	for _, x := range f.holds {
		who(x.visit)
		for _, t := range [...]time.Duration{x.came, x.in - x.came, x.out - x.in} {
			add('.', t.Milliseconds())
		}
		switch {
		case x.expired:
			text = append(text, 'x')
		case x.open:
			text = append(text, 'o')
		}
	}
	for _, v := range f.open {
		who(v)
	}
	return string(text)
}

// ErrSeen reports a text that String didn't write.
var ErrSeen = sentence.Error("fork.seen")

// ParseSeen reads what String has written. Its error is ErrSeen.
func ParseSeen(text string) (Seen, error) {
	kind, rest, more := strings.Cut(text, "_")
	f := Seen{Use: naming.Use(kind)}
	switch {
	case kind == string(event.DrawName):
		f.Use, f.Single = naming.Lock, true
	case !f.Use.Excludes() && f.Use != naming.Queue:
		return Seen{}, ErrSeen
	}
	for more {
		var part string
		part, rest, more = strings.Cut(rest, "_")
		part, expired := strings.CutSuffix(part, "x")
		part, open := strings.CutSuffix(part, "o")
		numbers := strings.Split(part, ".")
		var n [5]int64
		if len(numbers) != 2 && len(numbers) != len(n) || len(f.holds)+len(f.open) == MaxVisits {
			return Seen{}, ErrSeen
		}
		for i, number := range numbers {
			var err error
			if n[i], err = strconv.ParseInt(number, 10, 32); err != nil || n[i] < 0 {
				return Seen{}, ErrSeen
			}
		}
		v, ms := visit{int(n[0]), int(n[1])}, time.Millisecond
		if len(numbers) == 2 {
			f.open = append(f.open, v)
			continue
		}
		came := time.Duration(n[2]) * ms
		in := came + time.Duration(n[3])*ms
		f.holds = append(f.holds, hold{v, came, in, in + time.Duration(n[4])*ms, expired, open})
	}
	return f, nil
}
