// Package trace reads and writes trace files: a log saved as lines of JSON, first a header, then an event a line.
// The commands of cmd/viz-server, the trace download and rooms of runs use it. It parses JSON with
// engine/base/jsontext, since encoding/json would add 0.4 MB to the page's engine.
package trace

import (
	"bufio"
	"fmt"
	"io"

	"github.com/zkviz/zkviz/engine/event"
)

const (
	// Format is the header's first field, which tells a trace from other JSON.
	Format = "zkviz-trace"
	// Version is the version that is written, and the newest that is read. It may gain kinds, fields and words. A
	// reader skips unknown fields, and reads an event with any other unknown word as event.Unknown.
	Version = 2
	// MaxLine is the longest line that a reader accepts, in bytes. The longest path fits even if every byte is
	// escaped.
	MaxLine = 8 << 20
	// MaxEvents is the longest log that Read keeps in memory.
	MaxEvents = 20_000_000
)

// Writer is an event.Sink that writes a trace file.
type Writer struct {
	w   *bufio.Writer
	buf []byte
	err error
}

// NewWriter starts a trace by writing its header line.
func NewWriter(w io.Writer, h event.Header) *Writer {
	t := &Writer{w: bufio.NewWriterSize(w, 1<<16)}
	t.line(appendHeader(nil, h))
	return t
}

// Append writes one event. It does nothing after an error.
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

// Flush writes the buffered data and returns the first error of the whole trace.
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
