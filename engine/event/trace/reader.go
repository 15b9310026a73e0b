package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Reader reads a trace event by event. It checks each as a part of a log: a valid record that carries the
// next sequence number and is no earlier than the one before it.
type Reader struct {
	Header event.Header
	// Ended reports whether the last event read ends the run. A trace whose last event does not was saved
	// while its run went on, or has lost its end.
	Ended bool

	r      *bufio.Reader
	line   int
	last   event.Event
	long   []byte
	shared map[string]string
}

// NewReader reads the header.
func NewReader(r io.Reader) (*Reader, error) {
	t := &Reader{r: bufio.NewReaderSize(r, 1<<16), shared: make(map[string]string)}
	b, err := t.next()
	if err == io.EOF {
		return nil, errors.New("the trace is empty")
	}
	if err != nil {
		return nil, err
	}
	var h header
	if err := json.Unmarshal(b, &h); err != nil || h.Format != Format {
		return nil, fmt.Errorf("this is no zkviz trace: its first line is not the header {\"format\":%q,…}", Format)
	}
	if h.Version < 1 || h.Version > Version {
		return nil, fmt.Errorf("the trace has format version %d; this program reads version %d", h.Version, Version)
	}
	if err := h.validate(); err != nil {
		return nil, fmt.Errorf("trace line 1: %w", err)
	}
	t.Header = h.event()
	return t, nil
}

// validate refuses what no run has.
func (h header) validate() error {
	switch {
	case h.Clients < 0 || h.Clients > event.MaxActor:
		return fmt.Errorf("%d clients; the most is %d", h.Clients, event.MaxActor)
	case h.Rounds < 0:
		return fmt.Errorf("%d rounds cannot be", h.Rounds)
	case h.HoldNS < -1: // zoo.UntilSettled
		return fmt.Errorf("a hold of %s cannot be", time.Duration(h.HoldNS))
	case h.SessionTimeoutNS < 0:
		return fmt.Errorf("a session timeout of %s cannot be", time.Duration(h.SessionTimeoutNS))
	case h.LatencyNS < 0:
		return fmt.Errorf("a latency of %s cannot be", time.Duration(h.LatencyNS))
	}
	return nil
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
		err = fmt.Errorf("event %d stands where event %d belongs: lines are missing", e.Seq, t.last.Seq+1)
	}
	if err == nil && e.At < t.last.At {
		err = fmt.Errorf("event %d is earlier (%v) than the one before it (%v)", e.Seq, e.At, t.last.At)
	}
	if err == nil && e.At > MaxTime {
		err = fmt.Errorf("event %d is at %v; the latest time is %v", e.Seq, e.At, MaxTime)
	}
	if err != nil {
		return event.Event{}, fmt.Errorf("trace line %d: %w", t.line, err)
	}
	t.last, t.Ended = e, e.Kind == event.RunEnded
	return e, nil
}

// next returns the next line without its newline; it is valid until the next call.
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

// record is an event's line.
type record struct {
	Seq     uint32 `json:"seq"`
	AtNS    int64  `json:"at_ns"`
	Kind    string `json:"kind"`
	Cause   uint32 `json:"cause"`
	Actor   int32  `json:"actor"`
	Peer    int32  `json:"peer"`
	Op      string `json:"op"`
	Watch   string `json:"watch"`
	Type    string `json:"type"`
	Mode    string `json:"mode"`
	Path    string `json:"path"`
	Text    string `json:"text"`
	Zxid    int64  `json:"zxid"`
	Session string `json:"session"`
	N       int64  `json:"n"`
	Code    int32  `json:"code"`
	Line    uint16 `json:"line"`
}

func (t *Reader) decode(b []byte) (event.Event, error) {
	var r record
	if err := json.Unmarshal(b, &r); err != nil {
		return event.Event{}, fmt.Errorf("not an event: %w", err)
	}
	e := event.Event{
		Seq: event.Seq(r.Seq), At: time.Duration(r.AtNS), Cause: event.Seq(r.Cause),
		Actor: event.Actor(r.Actor), Peer: event.Actor(r.Peer),
		Path: t.share(r.Path), Text: t.share(r.Text),
		Zxid: r.Zxid, N: r.N, Code: r.Code, Line: r.Line,
	}
	var ok [6]bool
	e.Kind, ok[0] = event.ParseKind(r.Kind)
	e.Op, ok[1] = optional(r.Op, event.ParseOp)
	e.Watch, ok[2] = optional(r.Watch, event.ParseWatch)
	e.Type, ok[3] = optional(r.Type, numbered(event.ParseType))
	e.Mode, ok[4] = optional(r.Mode, numbered(event.ParseMode))
	e.Session, ok[5] = optional(r.Session, parseSession)
	for i, word := range [...]string{r.Kind, r.Op, r.Watch, r.Type, r.Mode, r.Session} {
		if !ok[i] {
			field := [...]string{"kind", "op", "watch", "type", "mode", "session"}[i]
			return event.Event{}, fmt.Errorf("event %d: unknown %s %.40q", r.Seq, field, word)
		}
	}
	return e, nil
}

// share keeps one copy of equal strings: paths repeat a lot.
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

// optional parses a field that is left out when it is zero.
func optional[T any](s string, parse func(string) (T, bool)) (T, bool) {
	if s == "" {
		var zero T
		return zero, true
	}
	return parse(s)
}

// numbered also takes the number of what has no name.
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
