package index

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/zkviz/zkviz/engine/past"
)

// Status is how far the files have been read.
type Status struct {
	Read, Total int64 // bytes
	Done        bool
	Err         error    // why it has ended early
	Trouble     []string // what the files don't tell, in words
	LeftOut     bool     // there are more znodes than MaxNodes
	Servers     []past.Server
	Compared    past.Compared
	Gone        []string // names of the logs that were read and are there no more, the last ones
	Behind      bool     // there is more in the files, which ReadOn will read later
}

// Status returns how far it is.
func (x *Index) Status() Status {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := Status{Read: min(x.read, x.total), Total: x.total, Done: x.done, Err: x.err, LeftOut: x.leftOut,
		Servers: x.servers, Compared: x.compared, Gone: x.gone, Behind: x.behind}
	for _, list := range [][]past.Trouble{x.files.Lacking, x.trouble, x.tails} {
		for _, t := range list[:min(len(list), maxTrouble)] {
			text := t.Err.Error()
			if t.Path != "" {
				text = t.Path + ": " + text
			}
			s.Trouble = append(s.Trouble, text)
		}
	}
	return s
}

// complain keeps what the files do not tell.
func (x *Index) complain(t past.Trouble) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.trouble) < maxTrouble {
		x.trouble = append(x.trouble, t)
	}
}

// writing is that a transaction isn't whole yet.
type writing struct{ offset int64 }

func (e writing) Error() string {
	return fmt.Sprintf("the last transaction is still being written, from byte %d on", e.offset)
}

// seen is how the files were when they were looked at.
type seen struct {
	at    time.Time
	total int64 // bytes of all logs
	logs  map[string]fileSeen
}

type fileSeen struct {
	bytes   int64
	written time.Time
}

// look looks how files are at a time.
func look(files past.Files, at time.Time) (seen, error) {
	s := seen{at: at, logs: map[string]fileSeen{}}
	for _, log := range files.Logs {
		info, err := os.Stat(log.Path)
		if err != nil {
			return s, err
		}
		s.total += info.Size()
		s.logs[log.Path] = fileSeen{info.Size(), info.ModTime()}
	}
	return s, nil
}

// sameTick is how coarse the times of files may be: what was written so shortly before it was looked at may have been
// written to again since with the same time.
const sameTick = time.Second

// changed reports whether files are others than they were, or, if they aren't, whether that is unsure.
func (s seen) changed(now seen) (changed, unsure bool) {
	for path, is := range now.logs {
		was, known := s.logs[path]
		changed = changed || !known || was.bytes != is.bytes || !was.written.Equal(is.written)
		unsure = unsure || s.at.Sub(was.written) <= sameTick
	}
	return changed || len(now.logs) != len(s.logs), unsure
}

// lost returns the names of logs that are there no more. One that has been packed is there.
func (s seen) lost(now seen) (names []string) {
	for path := range s.logs {
		_, there := now.logs[path]
		if _, packed := now.logs[path+".gz"]; !there && !packed {
			names = append(names, filepath.Base(path))
		}
	}
	return names
}
