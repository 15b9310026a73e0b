package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// A run that takes longer than patience says every so often how far it is.
const patience = time.Second

// progress is a Sink that passes on to the next one and tells the terminal how far the run is.
type progress struct {
	term *terminal
	next event.Sink // may be nil

	mu     sync.Mutex // guards what follows, and the terminal
	events int
	told   int // events, when something was last said
	at     time.Duration

	once  sync.Once
	end   chan struct{}
	ended chan struct{}
}

func startProgress(term *terminal, next event.Sink) *progress {
	p := &progress{term: term, next: next, end: make(chan struct{}), ended: make(chan struct{})}
	go p.tell()
	return p
}

// Append takes the next event.
func (p *progress) Append(e event.Event) {
	if p.next != nil {
		p.next.Append(e)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events++
	p.at = e.At
	switch e.Kind {
	case event.Disconnected:
		p.say(fmt.Sprintf("%s; trying again", e.Text))
	case event.Reconnected:
		p.say("connected again")
	}
}

// say prints a line of its own.
func (p *progress) say(text string) {
	p.told = p.events
	if p.term.errTTY {
		p.term.overwrite("")
	}
	p.term.say("%s", text)
}

// stop clears the line. It may be called twice.
func (p *progress) stop() {
	p.once.Do(func() { close(p.end) })
	<-p.ended
}

func (p *progress) tell() {
	defer close(p.ended)
	ticker := time.NewTicker(patience)
	defer ticker.Stop()
	for second := 1; ; second++ {
		select {
		case <-p.end:
			if second > 1 && p.term.errTTY {
				p.term.overwrite("")
			}
			return
		case <-ticker.C:
			// A terminal's line is written over; a file gets a line after 1, 2, 4, 8, … seconds.
			if p.term.errTTY || second&(second-1) == 0 {
				p.line()
			}
		}
	}
}

// line says how far the run is, unless nothing has happened since something was said.
func (p *progress) line() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.events == p.told {
		return
	}
	text := fmt.Sprintf("%s so far, the last at %s", count(p.events, "event"), p.at.Round(time.Millisecond))
	if p.term.errTTY {
		p.term.overwrite(text)
		p.told = p.events
		return
	}
	p.say(text)
}
