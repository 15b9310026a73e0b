// Package fault is the table of what can be done to a client or to the server, and how it is written down.
//
// It only describes: engine/sim, engine/live and engine/contend carry faults out.
package fault

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Server is the Client of a fault that is done to the server.
const Server = 0

// Fault is one thing done to one client, or to the server.
type Fault struct {
	Kind   Kind
	Client int           // from 1, or Server
	At     time.Duration // since the run's start
	For    time.Duration // of a kind that lasts, else 0
}

// MaxAt bounds At and For: a day.
const MaxAt = 24 * time.Hour

// Form says how a fault is written, in what follows "like" in a sentence.
func Form() string {
	return "'pause client-1 at 2s for 15s' (" + Words(of(ToClient, false), " or ") + "; " + Words(of(ToClient, true), " and ") +
		" take 'for') or 'restart server at 2s for 1s'"
}

// Parse reads a written fault: KIND client-N at DURATION [for DURATION], with server for the client of a kind that is
// done to the server.
func Parse(s string) (Fault, error) {
	f, why := parse(strings.Fields(s))
	if why != "" {
		return Fault{}, fmt.Errorf("fault %q: %s; write it like %s", s, why, Form())
	}
	return f, nil
}

// ParseAll reads a list of written faults.
func ParseAll(texts []string) ([]Fault, error) {
	var list []Fault
	for _, text := range texts {
		f, err := Parse(text)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// parse returns what is wrong with the words, empty if nothing is.
func parse(w []string) (f Fault, why string) {
	if len(w) != 4 && len(w) != 6 {
		return f, "it has the wrong number of words"
	}
	var ok bool
	if f.Kind, ok = ParseKind(w[0]); !ok {
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

const (
	serverWord = "server"
	clientWord = "client-"
)

func (f *Fault) setTarget(word string) (why string) {
	if f.Kind.Target() == ToServer {
		if word != serverWord {
			return "only the server is restarted, not " + strconv.Quote(word)
		}
		return ""
	}
	num, isClient := strings.CutPrefix(word, clientWord)
	n, err := strconv.Atoi(num)
	if !isClient || err != nil || n < 1 {
		return strconv.Quote(word) + " is not a client"
	}
	f.Client = n
	return ""
}

// String writes the fault so that Parse reads it back.
func (f Fault) String() string {
	target := serverWord
	if f.Client != Server {
		target = clientWord + strconv.Itoa(f.Client)
	}
	s := f.Kind.String() + " " + target + " at " + f.At.String()
	if f.Kind.Lasts() {
		s += " for " + f.For.String()
	}
	return s
}

// Validate says in a sentence why the fault cannot happen in a run with so many clients, or returns nil.
func (f Fault) Validate(clients int) error {
	switch {
	case !f.Kind.known():
		return fmt.Errorf("fault %q: there is no fault of this kind", f)
	case f.Kind.Target() == ToClient && (f.Client < 1 || f.Client > clients):
		return fmt.Errorf("fault %q: there is no client-%d among %d clients", f, f.Client, clients)
	case f.Kind.Target() == ToServer && f.Client != Server:
		return fmt.Errorf("fault %q: it is done to the server, not to a client", f)
	case f.At < 0 || f.At > MaxAt || f.For < 0 || f.For > MaxAt:
		return fmt.Errorf("fault %q: its times are 0s to %s", f, MaxAt)
	case f.Kind.Lasts() != (f.For > 0):
		return fmt.Errorf("fault %q: it lasts %s", f, f.For)
	}
	return nil
}
