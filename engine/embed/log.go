package embed

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// At most logLines lines are logged in logEvery: hostile clients must not fill a disk.
const (
	logLines = 20
	logEvery = 10 * time.Second
)

// journal writes what goes wrong, line by line, and leaves lines out when there are too many. Its callers
// quote what came from a client, and never give it a password.
type journal struct {
	mu      sync.Mutex
	w       io.Writer // nil: nothing is written
	begun   time.Time // of this stretch of logEvery
	lines   int       // in it
	skipped int
}

func (j *journal) printf(format string, args ...any) { j.print(time.Now(), format, args...) }

func (j *journal) print(now time.Time, format string, args ...any) {
	if j.w == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if now.Sub(j.begun) >= logEvery {
		j.told(now)
		j.begun, j.lines = now, 0
	}
	if j.lines >= logLines {
		j.skipped++
		return
	}
	j.lines++
	fmt.Fprintf(j.w, "%s %s\n", now.Format("15:04:05"), fmt.Sprintf(format, args...))
}

// told says how many lines were left out.
func (j *journal) told(now time.Time) {
	if j.skipped > 0 {
		fmt.Fprintf(j.w, "%s %d more lines like these were left out\n", now.Format("15:04:05"), j.skipped)
		j.skipped = 0
	}
}
