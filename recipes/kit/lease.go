package kit

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/systems"
)

// What locks that end by themselves have in common. No session tells a holder that its lock is lost: it goes by its own
// clock, and stops when its time is up.

// Leased is such a lock as its users see it.
type Leased interface {
	Lock(w systems.World) (*Lease, error)
	// Unlock reports false if the lock was not the holder's any more.
	Unlock(w systems.World, held *Lease) (mine bool, err error)
}

// Lease is a lock that somebody has until its deadline.
type Lease struct {
	program.Subject
	// Token is what the lock carries for as long as it is this holder's. No other holder ever has the same.
	Token string

	length time.Duration
	end    atomic.Int64 // by the holder's clock, ns
}

// caution is which part of a lease a holder leaves unused, since clocks run at different speeds.
const caution = 100

// NewLease is a lease of that length. The system counts from when it grants it: the holder from when it asked.
func NewLease(mine program.Subject, token string, length, asked time.Duration) *Lease {
	l := &Lease{Subject: mine, Token: token, length: length}
	l.Renew(asked)
	return l
}

// Renew has the lease last for its whole length from when that was asked for.
func (l *Lease) Renew(asked time.Duration) { l.end.Store(int64(asked + l.length - l.length/caution)) }

// Over reports whether the deadline has passed.
func (l *Lease) Over(c program.Process) bool { return c.Now() >= l.deadline() }

func (l *Lease) deadline() time.Duration { return time.Duration(l.end.Load()) }

// watch runs beside the holder's work, and interrupts it at the deadline.
func (l *Lease) watch(w systems.World) error {
	for !l.Over(w) {
		if err := w.Sleep(l.deadline() - w.Now()); err != nil {
			return err
		}
	}
	return ErrOver
}

// ErrOver is what a holder gives up with when its lease is over and its work is not.
var ErrOver = fmt.Errorf("the lease is over, and the work is not: %w", program.ErrTimeout)

// UseLease is what a lock with a lease is shown with: get in, print, leave, as often as told. What runs beside the work
// may renew the lease.
func UseLease(w systems.World, l Leased, p Params, beside ...Beside) error {
	print := func(*Lease) error { return Print(w, p.Hold) }
	return Repeat(w, p, func() error { return UseLeaseOnce(w, l, print, beside...) })
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
