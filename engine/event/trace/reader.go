package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/base/jsontext"
	"github.com/zkviz/zkviz/engine/event"
)

// Reader reads a trace event by event. It checks that each is a valid record, carries the next sequence number and is
// no earlier than the one before it.
type Reader struct {
	Header event.Header
	// Ended reports whether the last event read ends the run. If a whole trace doesn't end its run, it was saved while
	// the run continued, or has lost its end.
	Ended bool

	r       *bufio.Reader
	version int
	line    int
	last    event.Event
	long    []byte
	shared  map[string]string
}

// NewReader returns a Reader that has read the header.
func NewReader(r io.Reader) (*Reader, error) {
	t := &Reader{r: bufio.NewReaderSize(r, 1<<16), shared: make(map[string]string)}
	b, err := t.next()
	if err == io.EOF {
		return nil, errors.New("the trace is empty")
	}
	if err != nil {
		return nil, err
	}
	if t.Header, t.version, err = parseHeader(b); err == errNoHeader {
		return nil, fmt.Errorf("not a zkviz trace file: its first line is not the header {\"format\":%q,…}", Format)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Next returns the next event, or io.EOF after the last.
func (t *Reader) Next() (event.Event, error) {
	b, err := t.next()
	if err != nil {
		return event.Event{}, err
	}
	e, err := t.decode(b)
	if err == nil {
		err = e.Valid()
	}
	if err == nil && e.Seq != t.last.Seq+1 {
		err = fmt.Errorf("event %d is where event %d should be: lines are missing", e.Seq, t.last.Seq+1)
	}
	if err == nil && e.At < t.last.At {
		err = fmt.Errorf("event %d is earlier (%v) than the one before it (%v)", e.Seq, e.At, t.last.At)
	}
	if err == nil && e.At > event.MaxTime {
		err = fmt.Errorf("event %d is at %v, later than %v, the latest time allowed", e.Seq, e.At, event.MaxTime)
	}
	if err != nil {
		return event.Event{}, fmt.Errorf("trace line %d: %w", t.line, err)
	}
	t.last, t.Ended = e, e.Kind == event.RunEnded
	return e, nil
}

// next returns the next line without its newline. The slice is valid until the next call.
func (t *Reader) next() ([]byte, error) {
	t.line++
	t.long = t.long[:0]
	for {
		b, err := t.r.ReadSlice('\n')
		if len(t.long)+len(b) > MaxLine {
			return nil, fmt.Errorf("trace line %d: longer than %d bytes", t.line, MaxLine)
		}
		switch {
		case err == nil && len(t.long) == 0:
			return bytes.TrimRight(b, "\r\n"), nil
		case err == nil:
			return bytes.TrimRight(append(t.long, b...), "\r\n"), nil
		case err == bufio.ErrBufferFull:
			t.long = append(t.long, b...)
		case err == io.EOF && len(t.long)+len(b) == 0:
			return nil, io.EOF
		case err == io.EOF && t.line == 1:
			return append(t.long, b...), nil
		case err == io.EOF:
			return nil, fmt.Errorf("trace line %d: cut off in the middle", t.line)
		default:
			return nil, fmt.Errorf("trace line %d: %w", t.line, err)
		}
	}
}

// record holds the fields of an event's line.
type record struct {
	Seq, Cause              uint64
	AtNS, Zxid, N           int64
	Code, Line              int64
	Kind, Op, Watch, Reason string
	Type, Mode, Session     string
	Path, Text              string
	Actor, Peer             string // as JSON, because version 1 wrote clients as numbers
}

// read parses a record's line. It skips unknown fields.
func (r *record) read(line string) error {
	d := jsontext.Decoder{Text: line}
	err := d.Members(func(key string) error {
		if d.Word("null") {
			return nil
		}
		if err := r.field(&d, key); err != nil {
			return fmt.Errorf("%.40q: %w", key, err)
		}
		return nil
	})
	if err == nil && d.More() {
		err = errors.New("something follows its end")
	}
	return err
}

func (r *record) field(d *jsontext.Decoder, key string) (err error) {
	switch key {
	case "seq":
		r.Seq, err = d.Natural(32)
	case "at_ns":
		r.AtNS, err = d.Whole(64)
	case "kind":
		r.Kind, err = quoted(d)
	case "cause":
		r.Cause, err = d.Natural(32)
	case "actor":
		r.Actor, err = raw(d)
	case "peer":
		r.Peer, err = raw(d)
	case "op":
		r.Op, err = quoted(d)
	case "watch":
		r.Watch, err = quoted(d)
	case "reason":
		r.Reason, err = quoted(d)
	case "type":
		r.Type, err = quoted(d)
	case "mode":
		r.Mode, err = quoted(d)
	case "path":
		r.Path, err = quoted(d)
	case "text":
		r.Text, err = quoted(d)
	case "zxid":
		r.Zxid, err = d.Whole(64)
	case "session":
		r.Session, err = quoted(d)
	case "n":
		r.N, err = d.Whole(64)
	case "code":
		r.Code, err = d.Whole(32)
	case "line":
		var n uint64
		n, err = d.Natural(16)
		r.Line = int64(n)
	default:
		err = d.Skip()
	}
	return err
}

// quoted reads a string and replaces each byte that is not UTF-8 by U+FFFD.
func quoted(d *jsontext.Decoder) (string, error) {
	s, err := d.Quoted()
	return strings.ToValidUTF8(s, "\ufffd"), err
}

// raw returns a value as written.
func raw(d *jsontext.Decoder) (string, error) {
	d.More() // skip leading space
	from := d.At
	err := d.Skip()
	return d.Text[from:d.At], err
}

func (t *Reader) decode(b []byte) (event.Event, error) {
	var r record
	if err := r.read(string(b)); err != nil {
		return event.Event{}, fmt.Errorf("not an event: %w", err)
	}
	e := event.Event{
		Seq: event.Seq(r.Seq), At: time.Duration(r.AtNS), Cause: event.Seq(r.Cause),
		Path: t.share(r.Path), Text: t.share(r.Text),
		Zxid: r.Zxid, N: r.N, Code: int32(r.Code), Line: uint16(r.Line),
	}
	var ok bool
	if e.Session, ok = optional(r.Session, parseSession); !ok {
		return event.Event{}, fmt.Errorf("event %d: unknown session %.40q", r.Seq, r.Session)
	}
	unknown, word := t.words(&r, &e)
	switch {
	case unknown == "" && t.version == 1:
		return fromVersion1(e), nil
	case unknown == "":
		return e, nil
	case t.version == 1:
		return event.Event{}, fmt.Errorf("event %d: unknown %s %.40s", r.Seq, unknown, word)
	}
	return event.Event{Seq: e.Seq, At: e.At, Cause: e.Cause, Kind: event.Unknown, Text: event.Preview([]byte(r.Kind))}, nil
}

// words parses the fields that are one of several words. It returns the first field whose word is unknown.
func (t *Reader) words(r *record, e *event.Event) (field, word string) {
	var ok [8]bool
	e.Kind, ok[0] = event.ParseKind(r.Kind)
	e.Op, ok[1] = optional(r.Op, event.ParseOp)
	e.Watch, ok[2] = optional(r.Watch, event.ParseWatch)
	e.Type, ok[3] = optional(r.Type, numbered(event.ParseType))
	e.Mode, ok[4] = optional(r.Mode, numbered(event.ParseMode))
	e.Reason, ok[5] = optional(r.Reason, event.ParseReason)
	e.Actor, ok[6] = t.actor(r.Actor)
	e.Peer, ok[7] = t.actor(r.Peer)
	for i, word := range [...]string{r.Kind, r.Op, r.Watch, r.Type, r.Mode, r.Reason, r.Actor, r.Peer} {
		if !ok[i] {
			field := [...]string{"kind", "op", "watch", "type", "mode", "reason", "actor", "peer"}[i]
			return field, strconv.Quote(strings.Trim(word, `"`))
		}
	}
	return "", ""
}

func (t *Reader) actor(text string) (event.Actor, bool) {
	if text == "" {
		return event.ZooKeeper, true
	}
	if t.version == 1 {
		return number1(text)
	}
	name, err := strconv.Unquote(text)
	if err != nil {
		return 0, false
	}
	return event.ParseActor(name)
}

// share keeps one copy of equal strings, because paths repeat a lot.
func (t *Reader) share(s string) string {
	if s == "" {
		return ""
	}
	if old, ok := t.shared[s]; ok {
		return old
	}
	if len(t.shared) >= 1<<14 {
		clear(t.shared)
	}
	s = strings.Clone(s)
	t.shared[s] = s
	return s
}

// optional parses a field that is missing if zero.
func optional[T any](s string, parse func(string) (T, bool)) (T, bool) {
	if s == "" {
		var zero T
		return zero, true
	}
	return parse(s)
}

// numbered makes parse also accept a number, for values without a name.
func numbered(parse func(string) (uint8, bool)) func(string) (uint8, bool) {
	return func(s string) (uint8, bool) {
		if v, ok := parse(s); ok {
			return v, true
		}
		v, err := strconv.ParseUint(s, 10, 8)
		return uint8(v), err == nil
	}
}

func parseSession(s string) (int64, bool) {
	hex, ok := strings.CutPrefix(s, "0x")
	v, err := strconv.ParseUint(hex, 16, 64)
	return int64(v), ok && err == nil
}
