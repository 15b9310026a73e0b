package ensembletest

import (
	"fmt"
	"time"
)

// gaveUp ends an attempt that can't go on.
type gaveUp struct{}

// wrongf notes what is wrong, and goes on.
func (l *lab) wrongf(format string, args ...any) {
	l.wrong = append(l.wrong, fmt.Sprintf(format, args...))
}

// giveUp notes what is wrong, and ends the attempt.
func (l *lab) giveUp(format string, args ...any) {
	l.wrongf(format, args...)
	panic(gaveUp{})
}

// steady carries out a part of a test, which may have such parts itself. Servers give each other up if they stand still
// for five ticks, and a shared machine may stand still for as long. Then what the part has found wrong doesn't count,
// and it is done once more.
func (l *lab) steady(part func()) {
	l.t.Helper()
	before := l.wrong
	defer func() { l.wrong = before }()
	for end := time.Now().Add(patience); ; {
		stood, done := l.attempt(part)
		if len(l.wrong) == 0 {
			return
		}
		if stood >= tick && time.Now().Before(end) {
			l.t.Logf("once more, since the machine stood still for %v: %q", stood, l.wrong)
			l.repair()
			continue
		}
		for _, wrong := range l.wrong {
			l.t.Error(wrong)
		}
		if !done {
			l.t.FailNow()
		}
		return
	}
}

// attempt carries out a part of a test. It returns the longest time in which this machine didn't run it, and whether it
// came to its end.
func (l *lab) attempt(part func()) (stood time.Duration, done bool) {
	l.wrong = nil
	over, watched := make(chan struct{}), make(chan time.Duration)
	go func() { watched <- standstill(over) }()
	defer func() {
		close(over)
		stood = <-watched
		if r := recover(); r != nil && r != (gaveUp{}) {
			panic(r)
		}
	}()
	part()
	return 0, true
}

// standstill returns how much later than it should it woke up at most, until over.
func standstill(over <-chan struct{}) (longest time.Duration) {
	const nap = 20 * time.Millisecond
	for {
		from := time.Now()
		select {
		case <-over:
			return longest
		case <-time.After(nap):
			longest = max(longest, time.Since(from)-nap)
		}
	}
}

// repair starts all servers that an attempt has left stopped, with all connections between them.
func (l *lab) repair() {
	l.heal()
	for _, n := range l.all() {
		if l.down[n] {
			l.start(n)
		}
	}
}

func (l *lab) crash(n int) {
	l.side.crash(n)
	l.down[n] = true
}

func (l *lab) powerOff(n int) {
	l.side.powerOff(n)
	l.down[n] = true
}

func (l *lab) start(n int) {
	l.side.start(n)
	l.down[n] = false
}
