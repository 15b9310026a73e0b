// Package panes computes the contents of the page's panes: the log, the inspector, the time line, the chart, the
// counters, the chips in the source and the verdict.
//
// All files except document*.go are pure: they turn the state and the log into rows of text. Those files put the rows
// into the page, only as text, since names and data of znodes may be hostile. wasm/bridge calls the package.
//
// # Where to change what
//
//   - which events the log shows, and as what: row.go
//   - the inspector: inspect*.go, for servers inspectserver.go and inspectvotes.go, for nodes inspectnode.go
//   - who holds what is shown, since when and why, and who is next: holding*.go, put into the page by
//     document_holding.go; why a holder lost it, for how long it held it and what is trouble is decided in
//     engine/analysis/handover, for the list of locks too
//   - what a znode's owner is called: owner.go
package panes

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// Who is an actor as the page shows it: a short label and the class of its colour.
type Who struct{ Label, Class string }

// who returns an actor's chip.
func (s Say) who(a event.Actor) Who {
	if a <= 0 {
		return Who{s("log.zk"), "zk"}
	}
	if a.Kind() == event.AServer {
		return Who{s("log.server", strconv.Itoa(a.Number())), "zk"}
	}
	if a.Kind() == event.ANode {
		return Who{a.String(), "zk"}
	}
	return Who{a.Letter(), "c" + strconv.Itoa((int(a)-1)%len(display.Theme{}.Client)+1)}
}

// Say returns the sentence of a key in the reader's language. It is words.Words.Say.
type Say func(key string, args ...string) string

// voice returns the page's voice: it writes clients by their letters, servers as their boxes do, and
// znodes by their short names.
func (say Say) voice() sentence.Voice {
	return sentence.Voice{
		Say: say, Client: say.client, Path: Short, Text: letterFault,
		Request: func(op event.Op, path string) string { return asked(op, path, say) },
	}
}

func (say Say) client(a event.Actor) string {
	switch {
	case a == event.ZooKeeper:
		return a.String()
	case a.Kind() == event.AServer: // as its box in the picture
		return say.who(a).Label
	}
	return who(a)
}

// Short returns the last element of a path, without the session that a recipe puts into it and with at most two zeros
// before its number: lock-007 for /zkviz/lock-100001f2a-0000000007.
func Short(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if name == "" {
		return clean(path)
	}
	number := event.Number(name)
	if number < 0 {
		return clean(name)
	}
	head := event.Stem(name)
	if head != "" {
		head += "-"
	}
	digits := strconv.FormatInt(number, 10)
	return clean(head) + strings.Repeat("0", max(0, 3-len(digits))) + digits
}

// maxShown is the maximum length, in runes, of a name or of data in a pane.
const maxShown = 120

// clean makes a name or data fit to be shown: characters that hide or reverse text become dots, and a long text is cut.
func clean(s string) string { return cleanTo(s, maxShown) }

// cleanTo is clean with a maximum number of runes.
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

// seconds writes a time with a number of decimals. It doesn't round milliseconds, like a znode's Stat.
func seconds(d time.Duration, decimals int) string {
	if decimals == 3 {
		d = d.Truncate(time.Millisecond)
	}
	return strconv.FormatFloat(d.Seconds(), 'f', decimals, 64)
}

// long writes a duration in seconds without trailing zeros: 10, 2.5.
func long(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

func hex(n int64) string { return "0x" + strconv.FormatUint(uint64(n), 16) }

// ParseClient parses "client-3".
func ParseClient(id string) (event.Actor, bool) {
	digits, ok := strings.CutPrefix(id, "client-")
	n, err := strconv.Atoi(digits)
	return event.Actor(n), ok && err == nil && n > 0
}
