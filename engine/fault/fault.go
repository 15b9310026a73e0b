// Package fault is the list of things that can be done to a client, and how they are written down.
//
// It only describes them: engine/sim and engine/live carry them out.
package fault

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Kind is what is done.
type Kind uint8

const (
	Crash  Kind = iota + 1 // the process ends at once; its session lives on until it expires
	Pause                  // the whole process stops for a while, heartbeats included
	Cut                    // nothing gets through between the client and the server for a while
	Expire                 // the server ends the session at once
	Drop                   // the next reply to the client is lost, and its connection with it
)

var names = [...]string{Crash: "crash", Pause: "pause", Cut: "cut", Expire: "expire", Drop: "drop"}

// String is the word for the kind in a written fault.
func (k Kind) String() string {
	if int(k) < len(names) && k > 0 {
		return names[k]
	}
	return "none"
}

// Lasts reports whether the kind takes a duration.
func (k Kind) Lasts() bool { return k == Pause || k == Cut }

// Fault is one thing done to one client.
type Fault struct {
	Kind   Kind
	Client int           // from 1
	At     time.Duration // since the run's start
	For    time.Duration // of Pause and Cut, else 0
}

// MaxAt bounds At and For: a day.
const MaxAt = 24 * time.Hour

const form = "write it like 'pause client-1 at 2s for 15s' (crash, pause, cut, expire or drop; pause and cut take 'for')"

// Parse reads a written fault: KIND client-N at DURATION [for DURATION].
func Parse(s string) (Fault, error) {
	bad := func(why string) (Fault, error) {
		return Fault{}, fmt.Errorf("fault %q: %s; %s", s, why, form)
	}
	w := strings.Fields(s)
	if len(w) != 4 && len(w) != 6 {
		return bad("it has the wrong number of words")
	}
	var f Fault
	for k := Crash; k <= Drop; k++ {
		if w[0] == k.String() {
			f.Kind = k
		}
	}
	if f.Kind == 0 {
		return bad("there is no fault " + strconv.Quote(w[0]))
	}
	num, isClient := strings.CutPrefix(w[1], "client-")
	n, err := strconv.Atoi(num)
	if !isClient || err != nil || n < 1 {
		return bad(strconv.Quote(w[1]) + " is not a client")
	}
	f.Client = n
	if w[2] != "at" {
		return bad("the third word is not 'at'")
	}
	if f.At, err = time.ParseDuration(w[3]); err != nil || f.At < 0 || f.At > MaxAt {
		return bad(strconv.Quote(w[3]) + " is not a time from 0s to 24h")
	}
	if f.Kind.Lasts() != (len(w) == 6) {
		if len(w) == 6 {
			return bad(w[0] + " takes no 'for'")
		}
		return bad(w[0] + " needs 'for' and how long")
	}
	if len(w) == 6 {
		if f.For, err = time.ParseDuration(w[5]); w[4] != "for" || err != nil || f.For <= 0 || f.For > MaxAt {
			return bad(strconv.Quote(w[4]+" "+w[5]) + " is not 'for' and a time up to 24h")
		}
	}
	return f, nil
}

// String writes the fault so that Parse reads it back.
func (f Fault) String() string {
	s := fmt.Sprintf("%s client-%d at %s", f.Kind, f.Client, f.At)
	if f.Kind.Lasts() {
		s += " for " + f.For.String()
	}
	return s
}
