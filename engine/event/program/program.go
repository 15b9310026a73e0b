// Package program is what a recipe sees of the world, whatever system it uses: the process that it runs in, and its
// reports to viewers.
//
// Each system has its own package, such as engine/event/zoo; engine/stores/systems combines them.
//
// What a phase means is the table in phase.go.
package program

import "time"

// Process is the process that a recipe runs in. Once the run has ended or the process has crashed, every method that
// waits returns an error that wraps ErrStopped. The recipe must then return.
type Process interface {
	// Name returns the process's name, the same in every run: client-1, client-2, …
	Name() string

	// Sleep waits for d.
	Sleep(d time.Duration) error
	// Poll waits for d before the process retries something that was refused. Until somebody gets in, a polling
	// process counts as waiting.
	Poll(d time.Duration) error
	// Work stands for the work that the recipe protects. It waits for d, or, with UntilSettled, until every other
	// process waits or has ended. It returns early when the process is known to have lost its protection.
	Work(d time.Duration) error

	// Now returns the time since the run's start by this process's own clock.
	Now() time.Duration
	// Write writes text to a store outside the systems, such as a file or a printer, which a lock protects. If fence
	// is above 0 and the store has accepted a greater one, it refuses the write with ErrFenced.
	Write(store, text string, fence int64) error

	// Phase reports the recipe's progress, as the process believes.
	Phase(p Phase, about Subject)
	// Note tells the learner a sentence.
	Note(text string)
}

// UntilSettled makes Work hold until every other process is waiting again, however long that takes.
const UntilSettled time.Duration = -1

// Subject tells what a Phase is about.
type Subject struct {
	// Path is the process's own znode, key or row, or the item, or whatever the phase defines.
	Path string
	// Fence is the lock's fencing number, which grows with every holder, or 0. Other phases put their own number here.
	Fence int64
	// Times is the hold count where the process may hold something more than once, else 0.
	Times int
}

// Code is the result of a call that no system answered. It is an error; compare it with errors.Is. Logs also contain
// ZooKeeper's error numbers, and these are below them.
type Code int32

const (
	ErrTimeout Code = -1001 // the time limit has passed
	ErrStopped Code = -1002 // the run ended or the process crashed: return
	ErrFenced  Code = -1003 // the store has seen a greater fencing number
	ErrLost    Code = -1004 // the connection was lost, and the request may have been carried out or not
)

// Error returns the code in words.
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
