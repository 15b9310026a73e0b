package event

import (
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"
)

// Columns of the text form, in bytes from the start of the line.
const (
	colActor = 20
	colKind  = 31
	colBody  = 47
)

// AppendText appends e to dst as one line for people, without the newline, as in
//
//	214    5.002100s  client-1   op.sent         delete /zkviz/lock, flight 1ms, line 27, because of 210
func AppendText(dst []byte, e Event) []byte {
	start := len(dst)
	pad := func(col int) {
		dst = append(dst, ' ')
		for len(dst)-start < col {
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
	for len(dst) > start && dst[len(dst)-1] == ' ' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

func appendBody(dst []byte, e Event) []byte {
	w := body{dst: dst, first: true}
	if e.Op != NoOp {
		w.word(e.Op.String())
	}
	if e.Path != "" {
		w.word(printable(e.Path))
	}
	if e.Watch != NoWatch {
		w.item(e.Watch.String() + " watch")
	}
	if e.Type != 0 {
		w.item(TypeName(e.Type))
	}
	if e.Mode != 0 {
		w.item(ModeName(e.Mode))
	}
	if e.Reason != NoReason {
		w.item(e.Reason.String())
	}
	if e.Text != "" {
		w.item(printable(e.Text))
	}
	if e.Peer != ZooKeeper {
		w.item(e.Peer.String())
	}
	if e.N != 0 {
		w.item(amount(e))
	}
	if version, ok := e.Expects(); ok {
		w.item("if version " + strconv.Itoa(int(version)))
	} else if e.Kind == RecipePhase && e.Code != 0 {
		w.item("times " + strconv.Itoa(int(e.Code)))
	} else if e.Code != 0 {
		w.item("code " + strconv.Itoa(int(e.Code)))
	}
	if e.Zxid != 0 {
		w.item("zxid 0x" + strconv.FormatUint(uint64(e.Zxid), 16))
	}
	if e.Session != 0 {
		w.item("session " + string(appendSession(nil, e.Session)))
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
func amount(e Event) string {
	switch e.Kind {
	case OpSent, WatchFired, MsgSent:
		return "flight " + time.Duration(e.N).String()
	case ClientPaused:
		return "for " + time.Duration(e.N).String()
	case ClientBlocked, ConnOpened, SessionCreated:
		return "timeout " + time.Duration(e.N).String()
	case RecipePhase:
		return "fence " + strconv.FormatInt(e.N, 10)
	case ZnodeCreated, ZnodeChanged:
		return strconv.FormatInt(e.N, 10) + " bytes"
	case ZnodeFound:
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
