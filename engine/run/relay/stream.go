package relay

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/shared"
)

// stream is an observation at this server.
type stream struct {
	of   *Relay
	name string
	bus  *shared.Bus
	o    Observation
	id   string          // among the servers that talk about it
	ctx  context.Context // ends when nobody here looks any more

	others hub.Bell // rings when another server says that it has the log

	bell  hub.Bell // rings when something below changes
	mu    sync.Mutex
	was   string    // the log that was read before, to its end
	log   string    // the name of the log; empty as long as it isn't known
	read  uint64    // the number of its last entry that was handed on
	lead  bool      // this server observes
	heard time.Time // when the owner has answered last
}

func newStream(ctx context.Context, r *Relay, name string, bus *shared.Bus, o Observation) *stream {
	return &stream{of: r, name: name, bus: bus, o: o, id: rand.Text(), ctx: ctx}
}

func (s *stream) leads() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lead
}

func (s *stream) set(f func()) {
	s.mu.Lock()
	f()
	s.mu.Unlock()
	s.bell.Ring()
}

// logName returns the log's name, or "".
func (s *stream) logName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log
}

// await waits until something is true that the bell tells of. It is asked under s.mu.
func (s *stream) await(ctx context.Context, is func() bool) error {
	for {
		news := s.bell.Next()
		s.mu.Lock()
		ok := is()
		s.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// quiet waits until a time that s.mu guards lies back that far. It reports false if ctx ended first.
func (s *stream) quiet(ctx context.Context, since *time.Time, most time.Duration) bool {
	for hub.Pause(ctx, againEvery) {
		s.mu.Lock()
		silence := time.Since(*since)
		s.mu.Unlock()
		if silence > most {
			return true
		}
	}
	return false
}

// run hands the log on until it ends, or ctx does. Meanwhile this server may be the one that observes.
func (s *stream) run(ctx context.Context, sink event.Sink) error {
	stop, err := s.bus.Listen(s.name, s.hear)
	if err != nil {
		return err
	}
	defer stop()
	return s.runBeside(ctx, sink, s.own, s.check, s.watchLink)
}

// runBeside hands the log on beside all this. The first to fail ends it.
func (s *stream) runBeside(ctx context.Context, sink event.Sink, all ...func(context.Context) error) error {
	inner, end := context.WithCancelCause(ctx)
	var beside sync.WaitGroup
	for _, do := range all {
		beside.Go(func() {
			if err := do(inner); err != nil {
				end(err)
			}
		})
	}
	err := s.follow(inner, sink)
	if inner.Err() != nil {
		err = context.Cause(inner)
	}
	end(nil)
	beside.Wait()
	return err
}

// follow hands the log's events on.
func (s *stream) follow(ctx context.Context, sink event.Sink) error {
	if err := s.await(ctx, func() bool { return s.log != "" }); err != nil {
		return err
	}
	name := s.logName()
	defer note(s.of, s.of.last, s.name, name)
	if noted(s.of, s.of.small, name) {
		if s.o.Source == nil {
			return ErrGone
		}
		return s.o.Source(ctx, nil, sink)
	}
	log, err := s.bus.LogOf(s.name, name)
	if err != nil {
		return err
	}
	var at position
	err = log.Read(ctx, 1, func(n uint64, entry []byte) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		err := at.read(entry, func(e event.Event) bool {
			if ctx.Err() != nil {
				return false
			}
			sink.Append(e)
			if errors.Is(context.Cause(ctx), context.Canceled) {
				note(s.of, s.of.small, name, true) // a sink that is full ends ctx at once
			}
			return ctx.Err() == nil
		})
		s.set(func() { s.read = n })
		return err
	})
	if s.o.Source == nil && ctx.Err() == nil {
		note(s.of, s.of.ended, s.name, name)
	}
	if errors.Is(err, shared.ErrDeleted) || errors.Is(err, shared.ErrExpired) {
		return event.ErrLogFull
	}
	return err
}

// message is what servers say to each other about an observation, and ask its owner.
type message struct {
	Ask string             `json:"ask,omitempty"` // log, or do
	Log string             `json:"log,omitempty"` // its name; of one who asks, what was read before
	By  string             `json:"by,omitempty"`  // who says it to all
	Why *sentence.Sentence `json:"why,omitempty"` // that wasn't done
}

const (
	askLog = "log"
	askDo  = "do"
)

func encode(m message) []byte {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // it has no value that JSON lacks
	}
	return text
}

// hear takes what others say. A new owner that doesn't know the log asks all.
func (s *stream) hear(data []byte) {
	var m message
	if json.Unmarshal(data, &m) != nil || m.By == s.id {
		return
	}
	switch known := s.logName(); {
	case m.Ask == askLog && known != "" && s.ctx.Err() == nil:
		_ = s.bus.Say(s.name, encode(message{Log: known, By: s.id})) // else another one does
	case m.Log != "" && m.Log == known:
		s.others.Ring()
	case m.Log != "" && known == "" && shared.CheckName(m.Log) == nil:
		s.set(func() { s.log = m.Log })
	}
}

// isLast reports whether no other server says that it has the log.
func (s *stream) isLast() bool {
	another := s.others.Next()
	if s.bus.Say(s.name, encode(message{Ask: askLog, By: s.id})) != nil {
		return false // nobody can tell
	}
	select {
	case <-another:
		return false
	case <-time.After(answerWithin):
		return s.bus.Connected()
	}
}

// request asks the owner.
func (s *stream) request(ctx context.Context, what string) (m message, err error) {
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	text, err := s.bus.Ask(ctx, s.name, encode(message{Ask: what, Log: s.was}))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	return m, err
}

// ask has the owner do what the observation can be asked for.
func (s *stream) ask(ctx context.Context) error {
	m, err := s.request(ctx, askDo)
	switch {
	case err != nil:
		return ErrApart
	case m.Why != nil:
		return sentence.Error(m.Why.Key, m.Why.Args...)
	}
	return nil
}

// answer answers what others ask, at the owner.
func (s *stream) answer(ctx context.Context, data []byte) []byte {
	var m message
	if json.Unmarshal(data, &m) != nil {
		return nil
	}
	switch m.Ask {
	case askLog:
		return encode(message{Log: s.logName()})
	case askDo:
		if err := s.o.Ask(ctx); err != nil {
			why := sentence.From(err)
			return encode(message{Why: &why})
		}
		return encode(message{})
	}
	return nil
}

// check finds out which log it is, and whether it still is. Another one means that this one has ended.
func (s *stream) check(ctx context.Context) error {
	for ctx.Err() == nil {
		every := CheckEvery
		m, err := s.request(ctx, askLog)
		if err == nil {
			s.set(func() { s.heard = time.Now() })
		}
		known := s.logName()
		switch {
		case err != nil || m.Log == "" || m.Log == s.was || shared.CheckName(m.Log) != nil:
			every = againEvery
		case known == "":
			s.set(func() { s.log = m.Log })
		case known != m.Log:
			return event.ErrLogFull
		}
		if known == "" {
			every = againEvery
		}
		hub.Pause(ctx, every)
	}
	return nil
}

// watchLink returns ErrApart when the others are out of reach for as long as a lease lasts.
func (s *stream) watchLink(ctx context.Context) error {
	for ctx.Err() == nil {
		up, changed := s.bus.Link()
		var late <-chan time.Time
		if !up {
			late = time.After(shared.LeaseFor)
		}
		select {
		case <-changed:
		case <-late:
			if !s.bus.Connected() {
				return ErrApart
			}
		case <-ctx.Done():
		}
	}
	return nil
}

func newLog() string { return "log-" + strings.ToLower(rand.Text()[:nameLetters]) }
