package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// progress is a Sink that passes events on and shows on the terminal how far the run is.
type progress struct {
	*bar
	next event.Sink // may be nil

	counts   sync.Mutex // guards the fields below
	events   int
	reported int // events at the last report
	at       time.Duration
}

func startProgress(term *terminal, next event.Sink) *progress {
	p := &progress{next: next}
	p.bar = startBar(term, p.line)
	return p
}

// Append takes the next event.
func (p *progress) Append(e event.Event) {
	if p.next != nil {
		p.next.Append(e)
	}
	p.count(e)
	switch e.Kind {
	case event.Disconnected:
		p.say(fmt.Sprintf("no connection: %s; trying again", e.Text))
	case event.Reconnected:
		p.say("connected again")
	}
}

func (p *progress) count(e event.Event) {
	p.counts.Lock()
	defer p.counts.Unlock()
	p.events++
	p.at = e.At
	if e.Kind == event.Disconnected || e.Kind == event.Reconnected {
		p.reported = p.events
	}
}

// line returns the progress, empty if nothing has happened since the last report.
func (p *progress) line() string {
	p.counts.Lock()
	defer p.counts.Unlock()
	if p.events == p.reported {
		return ""
	}
	p.reported = p.events
	return fmt.Sprintf("%s so far, the last at %s", count(p.events, "event"), p.at.Round(time.Millisecond))
}
