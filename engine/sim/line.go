package sim

import (
	"path"
	"runtime"
)

// lineFinder finds the line of one source file that the running process is at.
type lineFinder struct {
	file  string
	lines map[uintptr]uint16 // by return address; 0 if it is of another file
	pcs   [24]uintptr
}

func newLineFinder(file string) *lineFinder {
	return &lineFinder{file: file, lines: make(map[uintptr]uint16)}
}

// line is where in the recipe the process calls from, 0 if that is not recorded.
func (c *client) line() uint16 {
	if c.lines == nil {
		return 0
	}
	n := runtime.Callers(3, c.lines.pcs[:])
	for _, pc := range c.lines.pcs[:n] {
		line, known := c.lines.lines[pc]
		if !known {
			line = c.lines.lookUp(pc)
			c.lines.lines[pc] = line
		}
		if line != 0 {
			return line
		}
	}
	return 0
}

func (f *lineFinder) lookUp(pc uintptr) uint16 {
	frames := runtime.CallersFrames([]uintptr{pc})
	for {
		frame, more := frames.Next()
		if path.Base(frame.File) == f.file {
			return uint16(frame.Line)
		}
		if !more {
			return 0
		}
	}
}
