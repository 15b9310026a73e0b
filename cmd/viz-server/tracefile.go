package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/zkviz/zkviz/engine/atomicfile"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/run"
)

// fileMode are the permissions of new files that a command saves, less the umask.
const fileMode = 0o666

// lookUp is after how many events a reader looks whether it was interrupted.
const lookUp = 1 << 12

// traceFile is a Sink that saves the log, or, with no name, nothing.
type traceFile struct {
	file   *atomicfile.File
	writer *trace.Writer
}

func createTrace(path string, h event.Header) (*traceFile, error) {
	if path == "" {
		return &traceFile{}, nil
	}
	file, err := atomicfile.Create(path, fileMode)
	if err != nil {
		return nil, err
	}
	return &traceFile{file: file, writer: trace.NewWriter(file, h)}, nil
}

// Append takes the next event.
func (t *traceFile) Append(e event.Event) {
	if t.writer != nil {
		t.writer.Append(e)
	}
}

func (t *traceFile) keep() error {
	if t.file == nil {
		return nil
	}
	if err := t.writer.Flush(); err != nil {
		return err
	}
	return t.file.Commit()
}

func (t *traceFile) discard() {
	if t.file != nil {
		t.file.Discard()
	}
}

// readTrace gives a saved log's header to start and its events to the sink that start returns.
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
		if e.Seq%lookUp == 0 && ctx.Err() != nil {
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
