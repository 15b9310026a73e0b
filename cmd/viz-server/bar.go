package main

import (
	"sync"
	"time"
)

// A command that takes longer than patience shows its progress. On a terminal it redraws the line after every frame.
const (
	patience = time.Second
	frame    = 100 * time.Millisecond
)

// bar shows progress on stderr, in one line on a terminal, and otherwise in a line after 1, 2, 4, 8, … seconds.
type bar struct {
	term *terminal
	line func() string // the progress so far, empty for nothing new; called with mu held

	mu   sync.Mutex // guards the terminal
	once sync.Once
	end  chan struct{}
	done chan struct{}
}

func startBar(term *terminal, line func() string) *bar {
	b := &bar{term: term, line: line, end: make(chan struct{}), done: make(chan struct{})}
	go b.run()
	return b
}

func (b *bar) run() {
	defer close(b.done)
	ticker := time.NewTicker(frame)
	defer ticker.Stop()
	for n := 1; ; n++ {
		const second = int(patience / frame)
		s := n / second
		select {
		case <-b.end:
			if s > 0 {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.clear()
			}
			return
		case <-ticker.C:
		}
		if onTime := n%second == 0 && s&(s-1) == 0; onTime || s > 0 && b.term.errTTY {
			b.draw()
		}
	}
}

func (b *bar) draw() {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch text := b.line(); {
	case text == "":
	case b.term.errTTY:
		b.term.overwrite(text)
	default:
		b.term.say("%s", text)
	}
}

// clear erases the progress line, if there is one. The caller holds mu.
func (b *bar) clear() {
	if b.term.errTTY {
		b.term.overwrite("")
	}
}

// say prints a separate line.
func (b *bar) say(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
	b.term.say("%s", text)
}

// stop erases the line and waits for the bar's goroutine. It may be called twice.
func (b *bar) stop() {
	b.once.Do(func() { close(b.end) })
	<-b.done
}
