package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/zkviz/zkviz/engine/base/atomicfile"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/run"
)

// fileMode is the mode of new files that a command saves, before the umask.
const fileMode = 0o666

// checkInterval is the number of events between a reader's checks for interruption.
const checkInterval = 1 << 12

// standardOutput is the file name for standard output.
const standardOutput = "-"

// traceFile is a Sink that saves the log, or does nothing without a name.
type traceFile struct {
	file   *atomicfile.File // nil for standard output
	writer *trace.Writer
}

func createTrace(term *terminal, path string, h event.Header) (*traceFile, error) {
	switch path {
	case "":
		return &traceFile{}, nil
	case standardOutput:
		return &traceFile{writer: trace.NewWriter(term.out, h)}, nil
	}
	if err := checkReplaceable(path); err != nil {
		return nil, err
	}
	file, err := atomicfile.Create(path, fileMode)
	if err != nil {
		return nil, err
	}
	return &traceFile{file: file, writer: trace.NewWriter(file, h)}, nil
}

// checkReplaceable refuses a file that has content but isn't a trace: its name was probably given by mistake.
func checkReplaceable(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // writing to it fails with the reason
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := trace.NewReader(f); err != nil {
		return fmt.Errorf("%s exists and isn't a trace, so it isn't overwritten: name another file, or remove it first", path)
	}
	return nil
}

// Append implements event.Sink.
func (t *traceFile) Append(e event.Event) {
	if t.writer != nil {
		t.writer.Append(e)
	}
}

func (t *traceFile) commit() error {
	if t.writer == nil {
		return nil
	}
	if err := t.writer.Flush(); err != nil || t.file == nil {
		return err
	}
	return t.file.Commit()
}

func (t *traceFile) discard() {
	if t.file != nil {
		t.file.Discard()
	}
}

// readTrace passes a saved log's header to start, and its events to the sink that start returns.
func readTrace(ctx context.Context, path string, start func(event.Header) event.Sink) (complete bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	r, err := trace.NewReader(f)
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	sink := start(run.Complete(r.Header))
	for {
		e, err := r.Next()
		if e.Seq%checkInterval == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err == io.EOF {
			return r.Ended, nil
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", path, err)
		}
		sink.Append(e)
	}
}
