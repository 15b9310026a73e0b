package main

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// bar says on stderr how far an exploration is: a line that is written over on a terminal, and now and then
// a line elsewhere.
type bar struct {
	term *terminal
	name string
	all  int
	done atomic.Int64
	once sync.Once
	end  chan struct{}
	gone chan struct{}
}

// frame is how often a terminal's bar is drawn.
const frame = 100 * time.Millisecond

func startBar(term *terminal, name string, all int) *bar {
	b := &bar{term: term, name: name, all: all, end: make(chan struct{}), gone: make(chan struct{})}
	go b.tell()
	return b
}

// set may be called by several goroutines at once.
func (b *bar) set(done int) {
	if int64(done) > b.done.Load() {
		b.done.Store(int64(done))
	}
}

func (b *bar) stop() {
	b.once.Do(func() { close(b.end) })
	<-b.gone
}

func (b *bar) tell() {
	defer close(b.gone)
	ticker := time.NewTicker(frame)
	defer ticker.Stop()
	const second = int(time.Second / frame)
	for n := 1; ; n++ {
		select {
		case <-b.end:
			if n > 1 && b.term.errTTY {
				b.term.overwrite("")
			}
			return
		case <-ticker.C:
		}
		s := n / second
		switch {
		case b.term.errTTY:
			b.term.overwrite(b.line())
		case n%second == 0 && s&(s-1) == 0: // after 1, 2, 4, 8, … seconds
			b.term.say("%s", b.line())
		}
	}
}

func (b *bar) line() string {
	const width = 30
	done := min(int(b.done.Load()), b.all)
	full := done * width / b.all
	return fmt.Sprintf("%s [%s%s] %s of %s seeds", b.name, strings.Repeat("#", full), strings.Repeat(" ", width-full),
		thousands(done), thousands(b.all))
}
