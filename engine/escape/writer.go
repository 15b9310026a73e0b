package escape

import (
	"io"
	"strings"
	"sync"
)

// clearLine is what has a terminal erase the line that its cursor is on.
const clearLine = "\r\x1b[K"

// Writer passes text on to another writer and escapes it on the way; newlines and tabs stay. Several goroutines may
// use it at once: what one call writes stays together.
type Writer struct {
	mu  sync.Mutex
	to  io.Writer
	esc escaper
	buf []byte
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write writes text. The start of a character whose rest is not yet there waits for it.
func (w *Writer) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.send(w.esc.append(w.buf[:0], text, false, false)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Overwrite writes text over what stands in the terminal's line, and leaves the cursor behind it. It is for a terminal
// alone, and the one way to control it.
func (w *Writer) Overwrite(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.esc.append(w.buf[:0], nil, false, true)
	b = append(b, clearLine...)
	return w.send(append(b, Line(text)...))
}

// Flush writes what waits for the rest of its character, which will not come.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.send(w.esc.append(w.buf[:0], nil, false, true))
}

func (w *Writer) send(b []byte) error {
	w.buf = b[:0]
	if len(b) == 0 {
		return nil
	}
	_, err := w.to.Write(b)
	return err
}

// Lines returns a writer to w that takes one line with each Write: newlines are escaped but for the last, so that
// nothing that is logged can look like a line of its own.
func (w *Writer) Lines() io.Writer { return lines{w} }

type lines struct{ to *Writer }

func (l lines) Write(line []byte) (int, error) {
	text := Line(strings.TrimSuffix(string(line), "\n")) + "\n"
	if _, err := l.to.Write([]byte(text)); err != nil {
		return 0, err
	}
	return len(line), nil
}
