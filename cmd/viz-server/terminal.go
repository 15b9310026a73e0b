package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/zkviz/zkviz/engine/base/escape"
)

// terminal connects a command to its user.
type terminal struct {
	ctx    context.Context // ends when the user interrupts
	in     io.Reader       // typed input; nil for none
	out    io.Writer
	err    io.Writer
	errTTY bool // err is a terminal, so a line can be overwritten
}

// escaping returns the terminal that commands use. Everything printed goes through an escape.Writer, so that foreign
// text can't control the real one.
func (t *terminal) escaping() *terminal {
	return &terminal{ctx: t.ctx, in: t.in, out: escape.NewWriter(t.out), err: escape.NewWriter(t.err), errTTY: t.errTTY}
}

// toStderr returns a terminal that prints to stderr, for a command whose stdout carries data.
func (t *terminal) toStderr() *terminal {
	return &terminal{ctx: t.ctx, in: t.in, out: t.err, err: t.err, errTTY: t.errTTY}
}

// flush prints the rest of an incomplete character.
func (t *terminal) flush() {
	for _, w := range []io.Writer{t.out, t.err} {
		if w, ok := w.(*escape.Writer); ok {
			_ = w.Flush() // nobody is left to tell
		}
	}
}

// overwrite replaces the current line on stderr, which must be a terminal.
func (t *terminal) overwrite(text string) {
	if w, ok := t.err.(*escape.Writer); ok {
		_ = w.Overwrite(text)
	}
}

// say prints a line on stderr, with errors in words. Foreign text can't break the line.
func (t *terminal) say(format string, args ...any) {
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = voice().Error(err)
		}
	}
	fmt.Fprintln(t.err, escape.Line(fmt.Sprintf(format, args...)))
}

// complain prints a line on stderr that starts with the program's name.
func (t *terminal) complain(format string, args ...any) {
	t.say("viz-server: "+format, args...)
}

// log returns a writer to stderr that takes a line at a time.
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
