package process

import (
	"path"
	"runtime"
)

// Lines finds the calling process's line in one source file. A nil *Lines finds none.
type Lines struct {
	file  string
	lines map[uintptr]uint16 // by return address; 0 for other files
	pcs   [deepest]uintptr
}

// deepest is how many calls above At's caller are looked at: the nearest few first, where the line nearly always is,
// since each takes time.
const nearest, deepest = 4, 24

// NewLines returns Lines for one process and the file with source's last name, or nil if source is empty.
func NewLines(source string) *Lines {
	if source == "" {
		return nil
	}
	return &Lines{file: path.Base(source), lines: make(map[uintptr]uint16)}
}

// At returns the line in the file from which At's caller was called, or 0 if it was called from elsewhere.
func (l *Lines) At() uint16 {
	if l == nil {
		return 0
	}
	for from, to := 0, nearest; from < deepest; from, to = to, deepest {
		n := runtime.Callers(3+from, l.pcs[from:to])
		for _, pc := range l.pcs[from : from+n] {
			line, known := l.lines[pc]
			if !known {
				line = l.lookUp(pc)
				l.lines[pc] = line
			}
			if line != 0 {
				return line
			}
		}
		if from+n < to {
			break // there are no more
		}
	}
	return 0
}

func (l *Lines) lookUp(pc uintptr) uint16 {
	frames := runtime.CallersFrames([]uintptr{pc})
	for {
		frame, more := frames.Next()
		if path.Base(frame.File) == l.file {
			return uint16(frame.Line)
		}
		if !more {
			return 0
		}
	}
}
