package standby

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/zookeeper/learner"
)

// peer is a server among others.
type peer struct {
	of  *Standby
	bus *shared.Bus
	cfg learner.FollowConfig
	id  string // among those that talk

	bell hub.Bell // rings when something below changes
	mu   sync.Mutex
	log  string // the log that is read; empty as long as none is known
	read uint64 // the number of its last entry that was handed on
}

// talk is what servers say to each other: the name of the log, or that they ask for it.
type talk struct {
	Log string `json:"log,omitempty"`
	By  string `json:"by,omitempty"`
}

func encode(t talk) []byte {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // it has only strings
	}
	return text
}

// together follows what the servers share until ctx ends or they can't go on with it.
func (s *Standby) together(ctx context.Context, cfg learner.FollowConfig, r *reader) error {
	p := &peer{of: s, bus: s.cfg.Bus(), cfg: cfg, id: rand.Text()}
	stop, err := p.bus.Listen(s.name, p.hear)
	if err != nil {
		return err
	}
	defer stop()
	inner, end := context.WithCancelCause(ctx)
	var beside sync.WaitGroup
	for _, do := range []func(context.Context) error{p.own, p.check, p.watchLink} {
		beside.Go(func() {
			if err := do(inner); err != nil {
				end(err)
			}
		})
	}
	err = p.follow(inner, r)
	if inner.Err() != nil {
		err = context.Cause(inner)
	}
	end(nil)
	beside.Wait()
	return err
}

func (p *peer) at() (log string, read uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log, p.read
}

func (p *peer) set(log string, read uint64) {
	p.mu.Lock()
	p.log, p.read = log, read
	p.mu.Unlock()
	p.bell.Ring()
}

// learn sets the log if none is known.
func (p *peer) learn(log string) {
	p.mu.Lock()
	if p.log == "" {
		p.log = log
	}
	p.mu.Unlock()
	p.bell.Ring()
}

// awaitLog waits until a log is known.
func (p *peer) awaitLog(ctx context.Context) (log string, err error) {
	for {
		news := p.bell.Next()
		if log, _ = p.at(); log != "" {
			return log, nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// errNext ends the reading of a log that another goes on with.
var errNext = errors.New("another log goes on")

// follow hands on what logs have, one after the other.
func (p *peer) follow(ctx context.Context, r *reader) error {
	for {
		name, err := p.awaitLog(ctx)
		if err != nil {
			return err
		}
		next, err := p.readLog(ctx, name, r)
		if err != nil {
			return err
		}
		p.set(next, 0)
	}
}

// readLog hands on a log, and returns the next one's name.
func (p *peer) readLog(ctx context.Context, name string, r *reader) (next string, err error) {
	log, err := p.bus.LogOf(p.of.name, name)
	if err != nil {
		return "", err
	}
	there, err := log.Last(ctx)
	if err != nil {
		return "", err
	}
	var j joiner
	err = log.Read(ctx, 1, func(n uint64, entry []byte) error {
		batch, err := j.add(entry)
		if err != nil {
			return err
		}
		for _, m := range batch {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if m.Next != "" {
				next = m.Next
				return errors.Join(shared.CheckName(next), errNext)
			}
			if err := r.take(m); err != nil {
				return err
			}
		}
		if n >= there {
			if err := r.caughtUp(); err != nil {
				return err
			}
		}
		p.set(name, n)
		return nil
	})
	if errors.Is(err, errNext) && shared.CheckName(next) == nil {
		return next, nil
	}
	return "", err
}

// hear takes what others say. A new owner that doesn't know the log asks all.
func (p *peer) hear(data []byte) {
	var t talk
	if json.Unmarshal(data, &t) != nil || t.By == p.id {
		return
	}
	switch known, _ := p.at(); {
	case t.Log == "" && known != "":
		_ = p.bus.Say(p.of.name, encode(talk{Log: known, By: p.id})) // else another one does
	case t.Log != "" && shared.CheckName(t.Log) == nil:
		p.learn(t.Log)
	}
}

// settle finds out which log it is, if anybody knows one.
func (p *peer) settle(ctx context.Context) {
	if log, _ := p.at(); log == "" && p.bus.Say(p.of.name, encode(talk{By: p.id})) == nil {
		ctx, cancel := context.WithTimeout(ctx, answerWithin)
		defer cancel()
		_, _ = p.awaitLog(ctx)
	}
}

// check finds out which log it is, and whether it still is. One who reads another, and gets nowhere, begins anew.
func (p *peer) check(ctx context.Context) error {
	var before talk
	var stood uint64
	for ctx.Err() == nil {
		every := checkEvery
		asking, cancel := context.WithTimeout(ctx, shared.AnswerWithin)
		text, err := p.bus.Ask(asking, p.of.name, nil)
		cancel()
		var owners talk
		known, read := p.at()
		switch {
		case err != nil || json.Unmarshal(text, &owners) != nil || shared.CheckName(owners.Log) != nil:
			every = againEvery
		case known == "":
			p.learn(owners.Log)
		case known != owners.Log && before == (talk{Log: known}) && stood == read:
			return errAgain
		}
		before, stood = talk{Log: known}, read
		hub.Pause(ctx, every)
	}
	return nil
}

// watchLink returns errApart when the others are out of reach for as long as a lease lasts.
func (p *peer) watchLink(ctx context.Context) error {
	for ctx.Err() == nil {
		up, changed := p.bus.Link()
		var late <-chan time.Time
		if !up {
			late = time.After(shared.LeaseFor)
		}
		select {
		case <-changed:
		case <-late:
			if !p.bus.Connected() {
				return errApart
			}
		case <-ctx.Done():
		}
	}
	return nil
}

func newLog() string { return "log-" + strings.ToLower(rand.Text()[:16]) }
