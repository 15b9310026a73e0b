// Package eventtext writes events as lines for people, in messages and golden files of tests. The product shows events
// in the words of static/strings, and saves them as JSON.
package eventtext

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event"
)

// Columns of the text form, in bytes from the start of the line.
const (
	colActor = 20
	colKind  = 31
	colBody  = 47
)

// Of returns e as one line, without the newline, as in
//
//	214    5.002100s  client-1   op.sent         delete /zkviz/lock, flight 1ms, line 27, because of 210
func Of(e event.Event) string {
	var dst []byte
	pad := func(col int) {
		dst = append(dst, ' ')
		for len(dst) < col {
			dst = append(dst, ' ')
		}
	}
	var num [20]byte
	seq := strconv.AppendUint(num[:0], uint64(e.Seq), 10)
	for i := len(seq); i < 6; i++ {
		dst = append(dst, ' ')
	}
	dst = append(dst, seq...)
	dst = appendSeconds(append(dst, ' '), e.At)
	pad(colActor)
	dst = append(dst, e.Actor.String()...)
	pad(colKind)
	dst = append(dst, e.Kind.String()...)
	pad(colBody)
	dst = appendBody(dst, e)
	return strings.TrimRight(string(dst), " ")
}

func appendBody(dst []byte, e event.Event) []byte {
	w := body{dst: dst, first: true}
	if e.Op != event.NoOp {
		w.word(e.Op.String())
	}
	if e.Path != "" {
		w.word(printable(e.Path))
	}
	if e.Watch != event.NoWatch {
		w.item(e.Watch.String() + " watch")
	}
	if e.Type != 0 {
		w.item(event.TypeName(e.Type))
	}
	if e.Mode != 0 {
		w.item(event.ModeName(e.Mode))
	}
	if e.Reason != event.NoReason {
		w.item(e.Reason.String())
	}
	if e.Text != "" {
		w.item(printable(e.Text))
	}
	if e.Peer != event.ZooKeeper {
		w.item(e.Peer.String())
	}
	if e.N != 0 {
		w.item(amount(e))
	}
	if version, ok := e.Expects(); ok {
		w.item("if version " + strconv.Itoa(int(version)))
	} else if e.Kind == event.RecipePhase && e.Code != 0 {
		w.item("times " + strconv.Itoa(int(e.Code)))
	} else if e.Code != 0 {
		w.item("code " + strconv.Itoa(int(e.Code)))
	}
	if e.Zxid != 0 {
		w.item("zxid 0x" + strconv.FormatUint(uint64(e.Zxid), 16))
	}
	if e.Session != 0 {
		w.item("session 0x" + strconv.FormatUint(uint64(e.Session), 16))
	}
	if e.Line != 0 {
		w.item("line " + strconv.Itoa(int(e.Line)))
	}
	if e.Cause != 0 {
		w.item("because of " + strconv.FormatUint(uint64(e.Cause), 10))
	}
	return w.dst
}

// body separates its parts: a space before a word, a comma before an item.
type body struct {
	dst   []byte
	first bool
}

func (b *body) word(s string) {
	if !b.first {
		b.dst = append(b.dst, ' ')
	}
	b.first = false
	b.dst = append(b.dst, s...)
}

func (b *body) item(s string) {
	if !b.first {
		b.dst = append(b.dst, ',')
	}
	b.word(s)
}

// amount returns N in words. Its meaning depends on the kind.
func amount(e event.Event) string {
	switch e.Kind {
	case event.OpSent, event.WatchFired, event.MsgSent:
		return "flight " + time.Duration(e.N).String()
	case event.ClientPaused:
		return "for " + time.Duration(e.N).String()
	case event.ClientBlocked, event.ConnOpened, event.SessionCreated:
		return "timeout " + time.Duration(e.N).String()
	case event.RecipePhase:
		return "fence " + strconv.FormatInt(e.N, 10)
	case event.ZnodeCreated, event.ZnodeChanged:
		return strconv.FormatInt(e.N, 10) + " bytes"
	case event.ZnodeFound:
		return "made " + time.UnixMilli(e.N).UTC().Format(time.RFC3339Nano)
	}
	return "n " + strconv.FormatInt(e.N, 10)
}

// appendSeconds writes t with microseconds, right-aligned to 12 columns.
func appendSeconds(dst []byte, t time.Duration) []byte {
	var buf [32]byte
	us := t.Microseconds()
	b := buf[:0]
	if us < 0 {
		b, us = append(b, '-'), -us
	}
	b = strconv.AppendInt(b, us/1e6, 10)
	b = append(b, '.')
	frac := strconv.AppendInt(nil, us%1e6+1e6, 10)
	b = append(b, frac[1:]...)
	b = append(b, 's')
	for i := len(b); i < 12; i++ {
		dst = append(dst, ' ')
	}
	return append(dst, b...)
}

// printable returns s, quoted if it contains a quote or anything that a terminal could misread.
func printable(s string) string {
	for _, r := range s {
		if r == utf8.RuneError || r == '"' || !unicode.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	return s
}
