package index

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/zkviz/zkviz/engine/observe/past"
)

// Status says how far the files have been read.
type Status struct {
	Read, Total int64 // bytes
	Done        bool
	Err         error    // why reading ended early
	Trouble     []string // what is missing from the files, in words
	LeftOut     bool     // there are more znodes than MaxNodes
	Servers     []past.Server
	Compared    past.Compared
	Gone        []string // names of the last logs that were read and have been deleted
	Behind      bool     // there is more in the files, which ReadOn will read later
}

// Status returns the current status.
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

// complain records what is missing from the files.
func (x *Index) complain(t past.Trouble) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.trouble) < maxTrouble {
		x.trouble = append(x.trouble, t)
	}
}

// writing reports that a transaction isn't complete yet.
type writing struct{ offset int64 }

func (e writing) Error() string {
	return fmt.Sprintf("the last transaction is still being written, from byte %d on", e.offset)
}

// seen records the files' sizes and times at a look.
type seen struct {
	at    time.Time
	total int64 // bytes of all logs
	logs  map[string]fileSeen
}

type fileSeen struct {
	bytes   int64
	written time.Time
}

// look records the current sizes and times of the files.
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

// sameTick is the resolution of file times. A file written so shortly before a look may have changed since without
// a new time.
const sameTick = time.Second

// changed reports whether the files have changed. If not, unsure says that it can't be certain.
func (s seen) changed(now seen) (changed, unsure bool) {
	for path, is := range now.logs {
		was, known := s.logs[path]
		changed = changed || !known || was.bytes != is.bytes || !was.written.Equal(is.written)
		unsure = unsure || s.at.Sub(was.written) <= sameTick
	}
	return changed || len(now.logs) != len(s.logs), unsure
}

// lost returns the names of deleted logs. A log that was gzipped still counts.
func (s seen) lost(now seen) (names []string) {
	for path := range s.logs {
		_, there := now.logs[path]
		if _, packed := now.logs[path+".gz"]; !there && !packed {
			names = append(names, filepath.Base(path))
		}
	}
	return names
}
