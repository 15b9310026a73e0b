package kit

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// What locks that end by themselves have in common. No session tells a holder that its lock is lost: it goes by its own
// clock, and stops when its time is up.

// Leased is such a lock as its users see it.
type Leased interface {
	Lock(w systems.World) (*Lease, error)
	// Unlock reports false if the lock was not the holder's any more.
	Unlock(w systems.World, held *Lease) (mine bool, err error)
}

// Term is for how long somebody has something, by its own clock.
type Term struct {
	length time.Duration
	end    atomic.Int64 // ns
}

// caution is which part of a term nobody uses, since clocks run at different speeds.
const caution = 100

// NewTerm is a term of that length. The system counts from when it grants it: the holder from when it asked.
func NewTerm(length, asked time.Duration) *Term {
	t := &Term{length: length}
	t.Renew(asked)
	return t
}

// Renew has the term last for its whole length from when that was asked for.
func (t *Term) Renew(asked time.Duration) { t.end.Store(int64(asked + t.length - t.length/caution)) }

// Over reports whether the deadline has passed.
func (t *Term) Over(c program.Process) bool { return c.Now() >= t.deadline() }

func (t *Term) deadline() time.Duration { return time.Duration(t.end.Load()) }

// watch runs beside the holder's work, and interrupts it at the deadline.
func (t *Term) watch(w systems.World) error {
	for !t.Over(w) {
		if err := w.Sleep(t.deadline() - w.Now()); err != nil {
			return err
		}
	}
	return ErrOver
}

// KeepAlive runs beside the holder's work, and renews the term three times in its length, for as long as renew says
// that it is still the holder's.
func (t *Term) KeepAlive(w systems.World, renew func() (mine bool, err error)) error {
	for {
		if err := w.Sleep(t.length / 3); err != nil {
			return err
		}
		asked := w.Now()
		mine, err := renew()
		for Unknown(err) {
			asked = w.Now()
			mine, err = renew()
		}
		if err != nil {
			return err
		}
		if !mine {
			return ErrOver
		}
		t.Renew(asked)
	}
}

// Lease is a lock that somebody has until its deadline.
type Lease struct {
	program.Subject
	// Token is what the lock carries for as long as it is this holder's. No other holder ever has the same.
	Token string
	*Term
}

// NewLease is a lock with a term of its own.
func NewLease(mine program.Subject, token string, length, asked time.Duration) *Lease {
	return &Lease{mine, token, NewTerm(length, asked)}
}

// ErrOver is what a holder gives up with when its lease is over and its work is not.
var ErrOver = fmt.Errorf("the lease is over, and the work is not: %w", program.ErrTimeout)

// UseLease is what a lock with a lease is shown with: get in, print, leave, as often as told. What runs beside the work
// may renew the lease.
func UseLease(w systems.World, l Leased, p Params, beside ...Beside) error {
	print := func(*Lease) error { return Print(w, p.Hold) }
	return Repeat(w, p, func(p Params) error { return UseLeaseOnce(w, l, print, beside...) })
}

// Beside is what a holder has run beside its work.
type Beside func(w systems.World, held *Lease) error

// UseLeaseOnce gets in, works and leaves. At the deadline, or when a store refuses it, it stops in the middle of its
// work.
func UseLeaseOnce(w systems.World, l Leased, work func(*Lease) error, beside ...Beside) error {
	held, err := getIn(w, l)
	if err != nil {
		return err
	}
	w.Phase(program.Holding, held.Subject)
	err = workBeside(w, held, work, beside)
	if errors.Is(err, ErrOver) || errors.Is(err, program.ErrFenced) {
		w.Phase(program.Lost, held.Subject)
	}
	if err != nil {
		return err
	}
	// Anyone who leaves is out before the next is let in, not after.
	w.Phase(program.Released, held.Subject)
	mine, err := l.Unlock(w, held)
	if err == nil && !mine {
		w.Phase(program.Lost, held.Subject)
	}
	return err
}

// getIn takes the lock. One that took so long to get that its time is up is given back.
func getIn(w systems.World, l Leased) (*Lease, error) {
	for {
		held, err := l.Lock(w)
		if err != nil || !held.Over(w) {
			return held, err
		}
		if _, err := l.Unlock(w, held); err != nil {
			return nil, err
		}
	}
}

// workBeside works while a timer, and what else there is, runs beside.
func workBeside(w systems.World, held *Lease, work func(*Lease) error, beside []Beside) error {
	defer w.Beside(held.watch)()
	for _, main := range beside {
		defer w.Beside(func(b systems.World) error { return main(b, held) })()
	}
	err := work(held)
	if err == nil && held.Over(w) {
		return ErrOver
	}
	return err
}
