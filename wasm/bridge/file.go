package bridge

import (
	"bytes"
	"fmt"
	"io"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
)

// Limits of a trace file that a page opens. It stays in the browser, whose memory has to do.
const (
	MaxFile       = 64 << 20 // bytes
	MaxFileEvents = 250_000
)

// File is a trace file of the reader's that is being read, a piece at a time.
type File struct {
	Header event.Header
	Events []event.Event // what has been read

	reader *trace.Reader
}

// OpenFile reads the header.
func OpenFile(text []byte) (*File, error) {
	if len(text) > MaxFile {
		return nil, fmt.Errorf("it has more than %d bytes", MaxFile)
	}
	r, err := trace.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return &File{Header: r.Header, reader: r}, nil
}

// Read reads on for as long as there is time for it, one event at least. It reports whether that was all.
func (f *File) Read(more func() bool) (all bool, err error) {
	for done := 0; done == 0 || more(); done++ {
		e, err := f.reader.Next()
		switch {
		case err == io.EOF && len(f.Events) == 0:
			return false, fmt.Errorf("it has no events")
		case err == io.EOF:
			return true, nil
		case err != nil:
			return false, err
		case len(f.Events) == MaxFileEvents:
			return false, fmt.Errorf("it has more than %d events", MaxFileEvents)
		}
		f.Events = append(f.Events, e)
	}
	return false, nil
}
