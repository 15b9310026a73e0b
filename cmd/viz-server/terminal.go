package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/zkviz/zkviz/engine/base/escape"
)

// terminal is what a command has to do with its user.
type terminal struct {
	ctx    context.Context // ends when the user interrupts
	in     io.Reader       // what the user types; nil for nothing
	out    io.Writer
	err    io.Writer
	errTTY bool // err is a terminal: a line may be overwritten
}

// escaping is the terminal as commands see it: whatever they print goes through an escape.Writer, so that nothing that
// came from outside can control it.
func (t *terminal) escaping() *terminal {
	return &terminal{ctx: t.ctx, in: t.in, out: escape.NewWriter(t.out), err: escape.NewWriter(t.err), errTTY: t.errTTY}
}

// aside is the terminal for a command whose output is taken by something else.
func (t *terminal) aside() *terminal {
	return &terminal{ctx: t.ctx, in: t.in, out: t.err, err: t.err, errTTY: t.errTTY}
}

// flush prints what is left of a character that was never completed.
func (t *terminal) flush() {
	for _, w := range []io.Writer{t.out, t.err} {
		if w, ok := w.(*escape.Writer); ok {
			_ = w.Flush() // there is nobody left to tell
		}
	}
}

// overwrite replaces the line on stderr that the cursor is on, which must be a terminal's.
func (t *terminal) overwrite(text string) {
	if w, ok := t.err.(*escape.Writer); ok {
		_ = w.Overwrite(text)
	}
}

// say prints a line on stderr, errors in words. Text that came from outside keeps to it.
func (t *terminal) say(format string, args ...any) {
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = voice().Error(err)
		}
	}
	fmt.Fprintln(t.err, escape.Line(fmt.Sprintf(format, args...)))
}

// complain prints a line on stderr that begins with the program's name.
func (t *terminal) complain(format string, args ...any) {
	t.say("viz-server: "+format, args...)
}

// log is stderr for those who write a line at a time.
func (t *terminal) log() io.Writer {
	if w, ok := t.err.(*escape.Writer); ok {
		return w.Lines()
	}
	return t.err
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
