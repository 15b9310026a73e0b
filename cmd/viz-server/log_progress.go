package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/zkviz/zkviz/engine/observe/past"
)

// fileProgress prints findings from files, and shows progress meanwhile.
type fileProgress struct {
	*bar
	out     io.Writer
	partial []byte // an incomplete line
	size    int64
	read    atomic.Int64
	seeking atomic.Bool // true while it looks for the files' end
}

// startFileProgress shows how much of the files has been read, until stopped.
func startFileProgress(term *terminal, files *past.Files) *fileProgress {
	r := &fileProgress{out: term.out, size: max(files.Size(), 1)}
	r.bar = startBar(term, r.line)
	files.Passed = r.read.Store
	return r
}

func (r *fileProgress) line() string {
	of := fmt.Sprintf("%d %% of %.1f MB", min(r.read.Load()*100/r.size, 100), float64(r.size)/1e6)
	if r.seeking.Load() {
		return "looking for the end: " + of
	}
	return "read: " + of
}

// Write prints complete lines in place of the progress line.
func (r *fileProgress) Write(p []byte) (int, error) {
	whole := bytes.LastIndexByte(p, '\n') + 1
	if whole == 0 {
		r.partial = append(r.partial, p...)
		return len(p), nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clear()
	_, err := r.out.Write(append(r.partial, p[:whole]...))
	r.partial = append(r.partial[:0], p[whole:]...)
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// complain prints what the files don't tell.
func (r *fileProgress) complain(t past.Trouble) {
	r.say("viz-server: " + troubleText(t))
}

// troublePrinter returns a function that prints what the files don't tell, at its place in the output. With asJSON it
// also writes an object to out.
func (r *fileProgress) troublePrinter(out *bufio.Writer, asJSON bool) func(past.Trouble) {
	return func(t past.Trouble) {
		if asJSON {
			_ = json.NewEncoder(out).Encode(struct {
				Kind string `json:"kind"`
				File string `json:"file,omitempty"`
				Why  string `json:"why"`
			}{"log.lacks", t.Path, voice().Error(t.Err)}) // a failing writer returns its error at the end
		}
		_ = out.Flush()
		r.complain(t)
	}
}
