package escape

import (
	"io"
	"strings"
	"sync"
)

// clearLine makes a terminal erase its current line.
const clearLine = "\r\x1b[K"

// Writer escapes text and passes it on to another writer. It keeps newlines and tabs. Concurrent calls are safe, and
// each call's output stays together.
type Writer struct {
	mu  sync.Mutex
	to  io.Writer
	esc escaper
	buf []byte
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write writes text. It holds back an incomplete character until the rest arrives.
func (w *Writer) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.send(w.esc.append(w.buf[:0], text, false, false)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Overwrite replaces the terminal's current line by text and leaves the cursor after it. It is only for terminals, and
// the only way to control one.
func (w *Writer) Overwrite(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.esc.append(w.buf[:0], nil, false, true)
	b = append(b, clearLine...)
	return w.send(append(b, Line(text)...))
}

// Flush writes an incomplete character that was held back.
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

// Lines returns a writer that takes each Write as one line. It escapes all newlines but the last, so that no part of a
// logged message can look like a line of its own.
func (w *Writer) Lines() io.Writer { return lines{w} }

type lines struct{ to *Writer }

func (l lines) Write(line []byte) (int, error) {
	text := Line(strings.TrimSuffix(string(line), "\n")) + "\n"
	if _, err := l.to.Write([]byte(text)); err != nil {
		return 0, err
	}
	return len(line), nil
}
