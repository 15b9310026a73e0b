// Package panes says what stands in the page's panes: the log, the inspector, the time line, the chart, the
// counters, the chips in the source and the verdict.
//
// Everything but the files document*.go is pure: it turns the state and the log into rows of text. Those files put
// them into the page, as text only, since names and data of znodes are hostile. wasm/bridge calls it.
package panes

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/zkviz/zkviz/engine/escape"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/sentence"
)

// Who is an actor as the page shows it: a short label and the class of its colour.
type Who struct{ Label, Class string }

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// colours is how many colours there are before they begin again.
const colours = 6

// Letter is what a client is called: A to Z, then its number.
func Letter(a event.Actor) string {
	if a >= 1 && int(a) <= len(letters) {
		return letters[a-1 : a]
	}
	return strconv.Itoa(int(a))
}

// who is an actor's chip.
func (s Say) who(a event.Actor) Who {
	if a <= 0 {
		return Who{s("log.zk"), "zk"}
	}
	return Who{Letter(a), "c" + strconv.Itoa((int(a)-1)%colours+1)}
}

// Say gives the sentence of a key in the reader's language. It is words.Words.Say.
type Say func(key string, args ...string) string

// voice says sentences as the page does: clients by their letters, znodes by their short names.
func (say Say) voice() sentence.Voice {
	return sentence.Voice{
		Say: say, Client: client, Path: Short, Text: letterFault,
		Request: func(op event.Op, path string) string { return asked(op, path, say) },
	}
}

func client(a event.Actor) string {
	if a == event.ZooKeeper {
		return a.String()
	}
	return Letter(a)
}

// Short is the last name of a path, without the session that a recipe puts into it and without most of the
// zeros before its number: lock-007 of /zkviz/lock-100001f2a-0000000007.
func Short(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if name == "" {
		return clean(path)
	}
	_, number, ok := sequence(name)
	if !ok {
		return clean(name)
	}
	head := event.Stem(name)
	if head != "" {
		head += "-"
	}
	digits := strconv.FormatInt(number, 10)
	return clean(head) + strings.Repeat("0", max(0, 3-len(digits))) + digits
}

// sequence cuts a name into its head and the ten digits at its end.
func sequence(name string) (head string, number int64, ok bool) {
	cut := len(name) - 10
	if cut < 0 {
		return "", 0, false
	}
	n, err := strconv.ParseUint(name[cut:], 10, 63)
	return name[:cut], int64(n), err == nil
}

// maxShown is the longest text, in runes, that a pane shows of a name or of data.
const maxShown = 120

// clean makes a name or data fit to be shown: what would hide, or turn the direction of the text round it, becomes a
// dot, and what is too long is cut.
func clean(s string) string { return cleanTo(s, maxShown) }

// cleanTo is clean for a text of at most so many runes.
func cleanTo(s string, most int) string {
	var b strings.Builder
	n, prev := 0, rune(0)
	for _, r := range s {
		if n++; n > most {
			b.WriteRune('…')
			break
		}
		if r == unicode.ReplacementChar || escape.Hides(prev, r) {
			r = '·'
		}
		b.WriteRune(r)
		prev = r
	}
	return b.String()
}

// seconds writes a time with so many decimals.
func seconds(d time.Duration, decimals int) string {
	return strconv.FormatFloat(d.Seconds(), 'f', decimals, 64)
}

// long writes a duration in seconds without needless decimals: 10, 2.5.
func long(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// grouped writes 1102 as 1,102.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func hex(n int64) string { return "0x" + strconv.FormatUint(uint64(n), 16) }

// ParseClient reads "client-3".
func ParseClient(id string) (event.Actor, bool) {
	digits, ok := strings.CutPrefix(id, "client-")
	n, err := strconv.Atoi(digits)
	return event.Actor(n), ok && err == nil && n > 0
}
