package process

import "slices"

// Wait tells what a process waits for.
type Wait uint8

// The kinds of waits.
const (
	ForNothing Wait = iota // it runs, or hasn't started
	ForConnection
	ForReply
	ForWatch
	ForTimer
	ForSettled // until all others wait
	ForStore
)

// Waiting holds what decides whether a client will act without being woken by another.
type Waiting struct {
	For      Wait
	Inbound  int  // watch events on their way to it
	Ended    bool // the process will never do anything again
	Paused   bool
	Stalled  bool // its program is paused, but its timers run
	Later    bool // it starts only after the end of another client
	Away     bool // it has no connection, but is about to get one
	Restores bool // it is sending its watches to the server again
	Kept     int  // requests that a node delays until somebody else acts
	Refused  bool // it was refused since somebody last got in, and retries from time to time

	quiet bool // not counted as busy
}

// Update updates the count of busy clients. It reports whether this one has just become quiet.
func (w *Waiting) Update(busy *int) bool {
	quiet := w.isQuiet()
	if quiet == w.quiet {
		return false
	}
	w.quiet = quiet
	if quiet {
		*busy--
	} else {
		*busy++
	}
	return quiet
}

func (w *Waiting) isQuiet() bool {
	switch {
	case w.Ended, w.Paused, w.Stalled, w.Later:
		return true
	case w.Restores, w.Away:
		return false
	case w.For == ForSettled, w.Refused:
		return true
	}
	return w.For == ForWatch && w.Inbound == 0 || w.For == ForReply && w.Kept > 0
}

// Settling is a queue of the clients that work until all others wait.
type Settling[C comparable] struct{ list []C }

// Join appends a client.
func (s *Settling[C]) Join(c C) { s.list = append(s.list, c) }

// Leave removes a client, if it is there.
func (s *Settling[C]) Leave(c C) {
	if i := slices.Index(s.list, c); i >= 0 {
		s.list = slices.Delete(s.list, i, i+1)
	}
}

// Next removes and returns the first client that may continue, or false if there is none.
func (s *Settling[C]) Next(may func(C) bool) (next C, ok bool) {
	for i, c := range s.list {
		if may(c) {
			s.list = slices.Delete(s.list, i, i+1)
			return c, true
		}
	}
	return next, false
}
