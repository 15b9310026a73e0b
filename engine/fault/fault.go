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
	Crash   Kind = iota + 1 // the process ends at once; its session lives on until it expires
	Pause                   // the whole process stops for a while, heartbeats included
	Cut                     // nothing gets through between the client and the server for a while
	Expire                  // the server ends the session at once
	Drop                    // the next reply to the client is lost, and its connection with it
	Delay                   // messages between the client and the server take ten times as long for a while
	Restart                 // the server stops, and starts again after a while with all that it had committed
	kinds
)

var names = [kinds]string{
	Crash: "crash", Pause: "pause", Cut: "cut", Expire: "expire", Drop: "drop", Delay: "delay", Restart: "restart",
}

// Kinds are all kinds, the simplest first.
func Kinds() []Kind {
	var all []Kind
	for k := Crash; k < kinds; k++ {
		all = append(all, k)
	}
	return all
}

// ParseKind reads the word for a kind.
func ParseKind(word string) (Kind, bool) {
	k := kindOf(word)
	return k, k != 0
}

// Server is the Client of a fault that is done to the server.
const Server = 0

// String is the word for the kind in a written fault.
func (k Kind) String() string {
	if int(k) < len(names) && k > 0 {
		return names[k]
	}
	return "none"
}

// Lasts reports whether the kind takes a duration.
func (k Kind) Lasts() bool { return k == Pause || k == Cut || k == Delay || k == Restart }

// Fault is one thing done to one client, or to the server.
type Fault struct {
	Kind   Kind
	Client int           // from 1, or Server
	At     time.Duration // since the run's start
	For    time.Duration // of a kind that lasts, else 0
}

// MaxAt bounds At and For: a day.
const MaxAt = 24 * time.Hour

const form = "write it like 'pause client-1 at 2s for 15s' (crash, pause, cut, expire, drop or delay; " +
	"pause, cut and delay take 'for') or 'restart server at 2s for 1s'"

// Parse reads a written fault: KIND client-N at DURATION [for DURATION].
func Parse(s string) (Fault, error) {
	f, why := parse(strings.Fields(s))
	if why != "" {
		return Fault{}, fmt.Errorf("fault %q: %s; %s", s, why, form)
	}
	return f, nil
}

// parse returns what is wrong with the words, empty if nothing is.
func parse(w []string) (f Fault, why string) {
	if len(w) != 4 && len(w) != 6 {
		return f, "it has the wrong number of words"
	}
	if f.Kind = kindOf(w[0]); f.Kind == 0 {
		return f, "there is no fault " + strconv.Quote(w[0])
	}
	if why = f.setTarget(w[1]); why != "" {
		return f, why
	}
	if w[2] != "at" {
		return f, "the third word is not 'at'"
	}
	var err error
	if f.At, err = time.ParseDuration(w[3]); err != nil || f.At < 0 || f.At > MaxAt {
		return f, strconv.Quote(w[3]) + " is not a time from 0s to 24h"
	}
	switch {
	case f.Kind.Lasts() && len(w) == 4:
		return f, w[0] + " needs 'for' and how long"
	case !f.Kind.Lasts() && len(w) == 6:
		return f, w[0] + " takes no 'for'"
	case len(w) == 4:
		return f, ""
	}
	if f.For, err = time.ParseDuration(w[5]); w[4] != "for" || err != nil || f.For <= 0 || f.For > MaxAt {
		return f, strconv.Quote(w[4]+" "+w[5]) + " is not 'for' and a time up to 24h"
	}
	return f, ""
}

func kindOf(word string) Kind {
	for k := Crash; k < kinds; k++ {
		if word == k.String() {
			return k
		}
	}
	return 0
}

func (f *Fault) setTarget(word string) (why string) {
	if f.Kind == Restart {
		if word != "server" {
			return "only the server is restarted, not " + strconv.Quote(word)
		}
		return ""
	}
	num, isClient := strings.CutPrefix(word, "client-")
	n, err := strconv.Atoi(num)
	if !isClient || err != nil || n < 1 {
		return strconv.Quote(word) + " is not a client"
	}
	f.Client = n
	return ""
}

// String writes the fault so that Parse reads it back.
func (f Fault) String() string {
	target := "server"
	if f.Client != Server {
		target = "client-" + strconv.Itoa(f.Client)
	}
	s := f.Kind.String() + " " + target + " at " + f.At.String()
	if f.Kind.Lasts() {
		s += " for " + f.For.String()
	}
	return s
}
