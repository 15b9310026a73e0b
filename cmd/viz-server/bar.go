package main

import (
	"sync"
	"time"
)

// What takes longer than patience says how far it is. A terminal's line is drawn again after every frame.
const (
	patience = time.Second
	frame    = 100 * time.Millisecond
)

// bar says on stderr how far something is: in a line that is written over on a terminal, and in a line after 1, 2, 4,
// 8, … seconds elsewhere.
type bar struct {
	term *terminal
	line func() string // how far it is, empty for nothing new; called with mu held

	mu   sync.Mutex // guards the terminal
	once sync.Once
	end  chan struct{}
	gone chan struct{}
}

func startBar(term *terminal, line func() string) *bar {
	b := &bar{term: term, line: line, end: make(chan struct{}), gone: make(chan struct{})}
	go b.run()
	return b
}

func (b *bar) run() {
	defer close(b.gone)
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

// clear takes away the line that may be there; mu is held.
func (b *bar) clear() {
	if b.term.errTTY {
		b.term.overwrite("")
	}
}

// say prints a line of its own.
func (b *bar) say(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
	b.term.say("%s", text)
}

// stop clears the line. It may be called twice.
func (b *bar) stop() {
	b.once.Do(func() { close(b.end) })
	<-b.gone
}
