package embed

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// At most logLines lines are logged in logEvery, so that hostile clients cannot fill a disk. At most logWaiting
// lines wait for a slow writer.
const (
	logLines   = 20
	logEvery   = 10 * time.Second
	logWaiting = 10 * logLines
)

// journal logs problems line by line, and skips lines when there are too many. Its callers quote client input, and
// never pass it a password. None of them waits for the writer, since some hold the server's lock.
type journal struct {
	w    io.Writer // nil: no log
	busy sync.WaitGroup

	mu      sync.Mutex
	begun   time.Time // the start of the current period of logEvery
	lines   int       // in this period
	skipped int
	waiting []string // for the writer
	writing bool
}

func (j *journal) printf(format string, args ...any) { j.print(time.Now(), format, args...) }

func (j *journal) print(now time.Time, format string, args ...any) {
	if j.w == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if now.Sub(j.begun) >= logEvery {
		if j.skipped > 0 && j.add(now, "%d more lines like these were left out", j.skipped) {
			j.skipped = 0
		}
		j.begun, j.lines = now, 0
	}
	if j.lines >= logLines || !j.add(now, format, args...) {
		j.skipped++
		return
	}
	j.lines++
}

// add queues a line if there is room.
func (j *journal) add(now time.Time, format string, args ...any) bool {
	if len(j.waiting) >= logWaiting {
		return false
	}
	j.waiting = append(j.waiting, fmt.Sprintf("%s %s\n", now.Format("15:04:05"), fmt.Sprintf(format, args...)))
	if !j.writing {
		j.writing = true
		j.busy.Go(j.write)
	}
	return true
}

// write writes waiting lines until there are none.
func (j *journal) write() {
	for {
		j.mu.Lock()
		lines := j.waiting
		j.waiting, j.writing = nil, len(lines) > 0
		j.mu.Unlock()
		if len(lines) == 0 {
			return
		}
		_, _ = io.WriteString(j.w, strings.Join(lines, "")) // a failure can't be reported anywhere
	}
}

// flush waits until everything is written. Nothing may be logged meanwhile.
func (j *journal) flush() { j.busy.Wait() }
