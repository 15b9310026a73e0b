package kit

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// This file is about locks that expire. No session tells a holder that its lock is lost: the holder goes by its own
// clock, and stops when its time is up.

// Leased is such a lock as its users see it.
type Leased interface {
	Lock(w systems.World) (*Lease, error)
	// Unlock returns false if the holder no longer had the lock.
	Unlock(w systems.World, held *Lease) (mine bool, err error)
}

// Term is the time for which a holder has something, by its own clock.
type Term struct {
	length time.Duration
	end    atomic.Int64 // ns
}

// caution is the share of a term, one hundredth, that nobody uses, since clocks run at different speeds.
const caution = 100

// NewTerm returns a term of that length. The system counts from the grant, the holder from its request.
func NewTerm(length, asked time.Duration) *Term {
	t := &Term{length: length}
	t.Renew(asked)
	return t
}

// Renew restarts the term at the time of the request.
func (t *Term) Renew(asked time.Duration) { t.end.Store(int64(asked + t.length - t.length/caution)) }

// Over reports whether the deadline has passed.
func (t *Term) Over(c program.Process) bool { return c.Now() >= t.deadline() }

func (t *Term) deadline() time.Duration { return time.Duration(t.end.Load()) }

// watch runs next to the holder's work, and interrupts it at the deadline.
func (t *Term) watch(w systems.World) error {
	for !t.Over(w) {
		if err := w.Sleep(t.deadline() - w.Now()); err != nil {
			return err
		}
	}
	return ErrOver
}

// KeepAlive runs next to the holder's work, and renews the term three times in its length, for as long as renew reports
// that the holder still has it.
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

// Lease is a lock that its holder has until a deadline.
type Lease struct {
	program.Subject
	// Token is the value in the lock while this holder has it. No other holder ever has the same.
	Token string
	*Term
}

// NewLease returns a lock with its own term.
func NewLease(mine program.Subject, token string, length, asked time.Duration) *Lease {
	return &Lease{mine, token, NewTerm(length, asked)}
}

// ErrOver reports that a holder's lease is over and its work isn't.
var ErrOver = fmt.Errorf("the lease is over, and the work is not: %w", program.ErrTimeout)

// UseLease demonstrates a lock with a lease: lock, print, unlock, as often as told. Code next to the work may renew the
// lease.
func UseLease(w systems.World, l Leased, p recipe.Params, beside ...Beside) error {
	print := func(*Lease) error { return Print(w, p.Hold) }
	return Repeat(w, p, func(p recipe.Params) error { return UseLeaseOnce(w, l, print, beside...) })
}

// Beside is a function that runs next to a holder's work.
type Beside func(w systems.World, held *Lease) error

// UseLeaseOnce locks, works and unlocks. It stops in the middle of its work at the deadline, or when a store refuses a
// write.
func UseLeaseOnce(w systems.World, l Leased, work func(*Lease) error, beside ...Beside) error {
	held, err := acquire(w, l)
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
	// A client is out before the next gets the lock, not after.
	w.Phase(program.Released, held.Subject)
	mine, err := l.Unlock(w, held)
	if err == nil && !mine {
		w.Phase(program.Lost, held.Subject)
	}
	return err
}

// acquire takes the lock. If that took until the lease was over, it unlocks and tries again.
func acquire(w systems.World, l Leased) (*Lease, error) {
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

// workBeside works while a timer and the given functions run next to it.
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
