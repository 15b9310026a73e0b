package contend

import (
	"errors"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// person is a person's client: a member that does nothing by itself.
type person struct {
	*member
	who   int
	turns chan struct{} // has a value if wanted may be new

	moving sync.Mutex // held while it does what the person wants
	naps   int        // so far; guarded by moving

	lock    sync.Mutex
	name    string
	wanted  chan struct{} // until the person lets go, which closes it; nil if they don't want the lock
	asleep  time.Time     // since when; zero if it's awake
	cut     bool          // it has no network
	expired bool          // its session ended in its last round
	absence int           // changes when the person comes or goes
}

func newPerson(c *Crowd, who int, name string) *person {
	cfg := c.cfg.Config
	cfg.Data = []byte(name)
	p := &person{member: newMember(cfg), who: who, name: name, turns: make(chan struct{}, 1)}
	p.member.label = label(name)
	p.news = func() { c.cfg.Changed(who) }
	return p
}

// longestLabel is the length of the longest note that the stage writes below a client, in bytes.
const longestLabel = 12

// label returns as much of a name as there is room for below a client.
func label(name string) string {
	const cut = "…"
	if len(name) <= longestLabel {
		return name
	}
	end := 0
	for i := range name {
		if i > longestLabel-len(cut) {
			break
		}
		end = i
	}
	return name[:end] + cut
}

// live runs the client until it is sent away.
func (p *person) live() {
	conn, states, err := p.dial()
	if err != nil {
		return // zk.Connect never refuses these arguments
	}
	p.all.Go(func() { p.follow(states) })
	defer func() {
		if p.gate.Pass() {
			conn.Close()
		}
	}()
	for p.ctx.Err() == nil {
		select {
		case <-p.turns:
		case <-p.ctx.Done():
			return
		}
		wanted := p.wants()
		if wanted == nil {
			continue
		}
		p.quit = wanted
		p.sees("", 0)
		p.ends(wanted, p.round())
	}
}

func (p *person) wants() chan struct{} {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.wanted
}

// ends records the end of a round.
func (p *person) ends(wanted chan struct{}, err error) {
	lost := errors.Is(err, errLost)
	p.lock.Lock()
	if p.wanted == wanted {
		p.wanted = nil
		p.expired = lost
	}
	p.lock.Unlock()
	if lost {
		p.tell(program.Lost, program.Subject{})
	}
	p.changed()
}

// rename takes another name, if it's another.
func (p *person) rename(name string) {
	p.lock.Lock()
	was := p.name
	p.name = name
	p.lock.Unlock()
	if was == name {
		return
	}
	p.mu.Lock()
	p.label = label(name)
	note := event.Event{Kind: event.RecipeNote, Text: p.label}
	p.mu.Unlock()
	p.report(note)
}

// move carries out what the person wants, or says why it makes no sense.
func (p *person) move(do Move) error {
	p.moving.Lock()
	defer p.moving.Unlock()
	if err := p.refuses(do); err != nil {
		return err
	}
	switch do {
	case Take:
		p.set(func() { p.wanted, p.expired = make(chan struct{}), false })
		select {
		case p.turns <- struct{}{}:
		default: // it will look anyway
		}
	case Release:
		p.set(func() { close(p.wanted); p.wanted = nil })
	case Sleep:
		p.sleeps()
	case Wake:
		p.wakes()
	case Lose:
		p.set(func() { p.cut = true })
		p.gate.Cut()
		p.gate.Release() // the server is told that the connection is broken
	case Back:
		p.set(func() { p.cut = false })
		p.gate.Heal()
	}
	return nil
}

// refuses returns why a move makes no sense now, nil if it does.
func (p *person) refuses(do Move) error {
	p.lock.Lock()
	defer p.lock.Unlock()
	switch asleep := !p.asleep.IsZero(); {
	case asleep && (do == Take || do == Release || do == Sleep):
		return errAsleep
	case do == Take && p.wanted != nil:
		return errHas
	case do == Release && p.wanted == nil:
		return errHasNot
	case do == Wake && !asleep:
		return errAwake
	case do == Lose && p.cut:
		return errGone
	case do == Back && !p.cut:
		return errThere
	}
	return nil
}

func (p *person) set(f func()) {
	p.lock.Lock()
	defer p.lock.Unlock()
	f()
}

// sleeps stops the process. Callers hold p.moving.
func (p *person) sleeps() {
	p.naps++
	nap := p.naps
	p.report(event.Event{Kind: event.ClientPaused, N: int64(MaxSleep)})
	p.set(func() { p.asleep = time.Now() })
	p.gate.Freeze()
	p.timers.After(MaxSleep, func() {
		p.moving.Lock()
		defer p.moving.Unlock()
		if p.naps == nap && p.refuses(Wake) == nil {
			p.wakes()
			p.changed()
		}
	})
}

// wakes has the process go on. Callers hold p.moving.
func (p *person) wakes() {
	p.report(event.Event{Kind: event.ClientResumed})
	p.set(func() { p.asleep = time.Time{} })
	p.gate.Thaw()
}

// report adds to the log, without p.lock: a log asks for the client's state.
func (p *person) report(e event.Event) {
	if session := p.session(); session != 0 {
		p.cfg.Emit(session, e)
	}
}

// attend says whether the person is there.
func (p *person) attend(here bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.absence++
	if absence := p.absence; !here {
		p.timers.After(p.cfg.SessionTimeout, func() {
			p.lock.Lock()
			defer p.lock.Unlock()
			if p.absence == absence {
				p.leave()
			}
		})
	}
}

// State is how a person's client is.
type State struct {
	Session   int64 // the latest, 0 before the first
	Connected bool  // as far as the client knows
	Wants     bool  // the person wants the lock
	Phase     program.Phase
	Asleep    bool
	Cut       bool   // it has no network
	Expired   bool   // its session ended while it waited or held the lock, and it hasn't tried again
	Ahead     string // if it waits: the name of the znode just ahead when it looked last
	AheadIs   int    // and whose client that is, 0 if it's none of the Crowd's
	Before    int    // how many were before it then
}

func (p *person) state() State {
	session := p.session()
	p.lock.Lock()
	defer p.lock.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := State{Session: session, Connected: p.zk != nil && p.zk.State() == zk.StateHasSession, Wants: p.wanted != nil,
		Phase: program.Phase(p.belief.Text), Asleep: !p.asleep.IsZero(), Cut: p.cut, Expired: p.expired}
	if s.Phase == program.Waiting {
		s.Ahead, s.Before = p.ahead, p.before
	}
	return s
}

// present returns the events with which a log that begins late must start.
func (p *person) present() []event.Event {
	all := p.now()
	p.lock.Lock()
	defer p.lock.Unlock()
	if !p.asleep.IsZero() {
		left := max(0, MaxSleep-time.Since(p.asleep))
		all = append(all, event.Event{Kind: event.ClientPaused, N: int64(left)})
	}
	return all
}
