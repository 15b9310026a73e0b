package process

import "slices"

// Wait is what a process waits for.
type Wait uint8

// What a process waits for.
const (
	ForNothing Wait = iota // it has not started, or it runs
	ForConnection
	ForReply
	ForWatch
	ForTimer
	ForSettled // until all others wait
	ForStore
)

// Waiting is what decides whether a client will do something without being woken by another.
type Waiting struct {
	For      Wait
	Inbound  int  // watch events on their way to it
	Ended    bool // the process will never do anything again
	Paused   bool
	Stalled  bool // its program is, and its timers are not
	Later    bool // it waits for the end of the client that it comes after
	Away     bool // it has no connection, and is about to get one
	Restores bool // the server is being told of its watches
	Kept     int  // requests that a node keeps waiting for somebody
	Refused  bool // it has been refused since somebody got in last, and tries again from time to time

	quiet bool // it is not counted as busy
}

// Update keeps the count of busy clients. It reports whether this one is newly quiet.
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

// Settling are the clients that work until all others wait, in the order in which they began to.
type Settling[C comparable] struct{ list []C }

// Join puts a client behind the others.
func (s *Settling[C]) Join(c C) { s.list = append(s.list, c) }

// Leave takes a client out, if it is there.
func (s *Settling[C]) Leave(c C) {
	if i := slices.Index(s.list, c); i >= 0 {
		s.list = slices.Delete(s.list, i, i+1)
	}
}

// Next takes out the first that may go on. It reports false if none may.
func (s *Settling[C]) Next(may func(C) bool) (next C, ok bool) {
	for i, c := range s.list {
		if may(c) {
			s.list = slices.Delete(s.list, i, i+1)
			return c, true
		}
	}
	return next, false
}
