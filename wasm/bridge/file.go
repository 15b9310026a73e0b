package bridge

import (
	"bytes"
	"fmt"
	"io"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/run/judge"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// Limits of a trace file that a page opens. It stays in the browser's memory.
const (
	MaxFile       = 64 << 20 // bytes
	MaxFileEvents = 250_000
)

// File is a reader's trace file, read in pieces.
type File struct {
	Header event.Header
	Events []event.Event // read so far

	reader *trace.Reader
	judge  *judge.Judge
}

// OpenFile reads the header.
func OpenFile(text []byte) (*File, error) {
	if len(text) > MaxFile {
		return nil, fmt.Errorf("the file has more than %d bytes", MaxFile)
	}
	r, err := trace.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return &File{Header: r.Header, reader: r, judge: judge.New(r.Header)}, nil
}

// Read reads while more returns true, at least one event. It reports whether the file has ended.
func (f *File) Read(more func() bool) (all bool, err error) {
	for done := 0; done == 0 || more(); done++ {
		e, err := f.reader.Next()
		switch {
		case err == io.EOF && len(f.Events) == 0:
			return false, fmt.Errorf("the trace has no events")
		case err == io.EOF:
			return true, nil
		case err != nil:
			return false, err
		case len(f.Events) == MaxFileEvents:
			return false, fmt.Errorf("the trace has more than %d events", MaxFileEvents)
		}
		f.Events = append(f.Events, e)
	}
	return false, nil
}

// Judge judges the next events of the file, since no server does, and returns the verdict so far.
func (f *File) Judge(events []event.Event) protocol.Verdict {
	for _, e := range events {
		f.judge.Append(e)
	}
	return f.judge.Verdict()
}
