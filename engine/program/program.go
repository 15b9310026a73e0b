// Package program is what every recipe sees of the world, whatever system it talks to: the process that it runs in, and
// what it tells those who look on.
//
// The systems are in packages of their own, engine/zoo the first of them; engine/systems puts them together.
package program

import "time"

// Process is the process that a recipe runs in. Every method that waits returns an error that wraps ErrStopped once the
// run has ended or the process has crashed: the recipe must return then.
type Process interface {
	// Name is the process's name, the same in every run: client-1, client-2, …
	Name() string

	// Sleep lets d pass.
	Sleep(d time.Duration) error
	// Poll lets d pass before the next try of something that was refused. Until somebody gets in, a process that polls
	// counts as one that waits.
	Poll(d time.Duration) error
	// Work is what the recipe protects: it lets d pass, or, for UntilSettled, waits until every other process waits or
	// has ended. It returns early when the process is known to have lost what it works under.
	Work(d time.Duration) error

	// Now is the time since the run's start, by this process' own clock.
	Now() time.Duration
	// Write puts text into a store outside of the systems, such as a file or a printer: what a lock protects. With a fence
	// above 0 the store refuses it, with ErrFenced, once it has taken a write with a greater one.
	Write(store, text string, fence int64) error

	// Phase reports where the recipe has got to, as the process believes.
	Phase(p Phase, about Subject)
	// Note tells the learner something in a sentence.
	Note(text string)
}

// UntilSettled, given to Work, holds until every other process is waiting again, however long that takes.
const UntilSettled time.Duration = -1

// Subject is what a Phase is about.
type Subject struct {
	// Path is the process's own znode, key or row, or the item's, or what else the phase says.
	Path string
	// Fence is the fencing number that came with the lock, 0 if none: it grows with every holder. Other
	// phases put their own number here.
	Fence int64
	// Times is how often the process holds what it may hold more than once, 0 where that does not matter.
	Times int
}

// Code is what a call came to that no system has answered. It is an error, to compare with errors.Is. The numbers are
// below those of ZooKeeper's errors, beside which they stand in a log.
type Code int32

const (
	ErrTimeout Code = -1001 // the time that it was given has passed
	ErrStopped Code = -1002 // the run ended, or the process crashed: return
	ErrFenced  Code = -1003 // a store has seen a greater fencing number
	ErrLost    Code = -1004 // the connection was lost: whether the request was carried out is not known
)

// Error is the code in words.
func (c Code) Error() string {
	switch c {
	case ErrTimeout:
		return "timed out"
	case ErrStopped:
		return "stopped"
	case ErrFenced:
		return "refused: a greater fencing number has been here"
	case ErrLost:
		return "connection lost"
	}
	return "unknown error"
}
