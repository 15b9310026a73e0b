// Package trace reads and writes trace files: a log saved as lines of JSON, a header and then an event a
// line. The commands of cmd/viz-server and the trace download call it, and the page's program, which opens such files:
// it reads JSON with engine/jsontext, since encoding/json would cost the page 0.4 MB.
package trace

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

const (
	// Format is the header's first field: what tells a trace from other JSON.
	Format = "zkviz-trace"
	// Version of the format that is written, and the newest that is read. Kinds, fields and words may be added to it: a
	// reader leaves out fields that it does not know, and reads an event with another unknown word as event.Unknown.
	Version = 2
	// MaxLine is the longest line that is read, in bytes: more than the longest path needs when every
	// byte of it is escaped.
	MaxLine = 8 << 20
	// MaxTime is the latest time of an event, a hundred years: what is added to it still is a time.Duration.
	MaxTime = 100 * 365 * 24 * time.Hour
	// MaxEvents is the longest log that Read keeps in memory.
	MaxEvents = 20_000_000
)

// Writer is an event.Sink that writes a trace file.
type Writer struct {
	w   *bufio.Writer
	buf []byte
	err error
}

// NewWriter starts a trace with its header line.
func NewWriter(w io.Writer, h event.Header) *Writer {
	t := &Writer{w: bufio.NewWriterSize(w, 1<<16)}
	t.line(appendHeader(nil, h))
	return t
}

// Append writes one event. After an error it does nothing.
func (t *Writer) Append(e event.Event) {
	t.buf = event.AppendJSON(t.buf[:0], e)
	t.line(t.buf)
}

func (t *Writer) line(b []byte) {
	if t.err != nil {
		return
	}
	if _, err := t.w.Write(append(b, '\n')); err != nil {
		t.err = fmt.Errorf("write the trace: %w", err)
	}
}

// Flush writes out what is buffered and returns the first error of the whole trace.
func (t *Writer) Flush() error {
	if t.err == nil {
		if err := t.w.Flush(); err != nil {
			t.err = fmt.Errorf("write the trace: %w", err)
		}
	}
	return t.err
}

// Read reads a whole trace into memory.
func Read(r io.Reader) (event.Log, error) {
	t, err := NewReader(r)
	if err != nil {
		return event.Log{}, err
	}
	l := event.Log{Header: t.Header}
	for {
		e, err := t.Next()
		if err == io.EOF {
			return l, nil
		}
		if err != nil {
			return event.Log{}, err
		}
		if len(l.Events) == MaxEvents {
			return event.Log{}, fmt.Errorf("trace line %d: more than %d events", t.line, MaxEvents)
		}
		l.Append(e)
	}
}
