package programs

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds every wait, even on a slow machine.
const patience = 10 * time.Minute

// Book collects what all programs have said.
type Book struct {
	TB    testing.TB // the test that fails if they don't say what is awaited
	mu    sync.Mutex
	lines []Line
	other []string      // output that isn't a Line
	news  chan struct{} // closed with the next line
}

// NewBook returns an empty book.
func NewBook(tb testing.TB) *Book { return &Book{TB: tb, news: make(chan struct{})} }

func (b *Book) add(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l, ok := Parse(text); ok {
		b.lines = append(b.lines, l)
	} else {
		b.other = append(b.other, text)
	}
	close(b.news)
	b.news = make(chan struct{})
}

// All returns what has been said so far.
func (b *Book) All() []Line {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.lines)
}

// From returns what has been said from the nth line on, and a channel that is closed with the next line.
func (b *Book) From(n int) (lines []Line, news <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lines[n:], b.news
}

// Await waits for a matching line, from the nth on, and returns it.
func (b *Book) Await(n int, what string, is func(Line) bool) Line {
	b.TB.Helper()
	late := time.After(patience)
	for {
		lines, news := b.From(n)
		n += len(lines)
		for _, l := range lines {
			if is(l) {
				return l
			}
		}
		select {
		case <-news:
		case <-late:
			b.TB.Fatalf("no program says that %s; they said\n%s", what, b.Text())
		}
	}
}

// Text returns all that has been said.
func (b *Book) Text() string {
	var all strings.Builder
	for _, l := range b.All() {
		fmt.Fprintln(&all, l)
	}
	return all.String() + b.Other()
}

// Other returns the output that isn't a Line.
func (b *Book) Other() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.other, "\n")
}

// Len returns the number of lines.
func (b *Book) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.lines)
}
