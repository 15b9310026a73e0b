// Package fault is the table of what can be done to a client or to the server, and how it is written down.
//
// It only describes: engine/sim, engine/live and engine/contend carry faults out.
package fault

import (
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/sentence"
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
	return "'pause client-1 at 2s for 15s' (" + Words(of(ToClient, false), " or ") + "; " +
		Words(of(ToClient, true), " and ") +
		" take 'for') or 'restart server at 2s for 1s'"
}

// Parse reads a written fault: KIND client-N at DURATION [for DURATION], with server for the client of a kind that is
// done to the server.
func Parse(s string) (Fault, error) {
	f, err := parse(strings.Fields(s))
	if err != nil {
		clients, lasting := Words(of(ToClient, false), ", "), Words(of(ToClient, true), ", ")
		return Fault{}, sentence.Error("bad.fault", sentence.Quote(s), sentence.Cause(err), sentence.Text(clients),
			sentence.Text(lasting))
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

// parse reads the words of a fault. The error says what is wrong with them, but not with which.
func parse(w []string) (f Fault, err error) {
	if len(w) != 4 && len(w) != 6 {
		return f, sentence.Error("bad.fault.words")
	}
	var ok bool
	if f.Kind, ok = ParseKind(w[0]); !ok {
		return f, sentence.Error("bad.fault.kind", sentence.Quote(w[0]))
	}
	if err = f.setTarget(w[1]); err != nil {
		return f, err
	}
	if w[2] != "at" {
		return f, sentence.Error("bad.fault.at")
	}
	if f.At, err = time.ParseDuration(w[3]); err != nil || f.At < 0 || f.At > MaxAt {
		return f, sentence.Error("bad.fault.time", sentence.Quote(w[3]))
	}
	switch {
	case f.Kind.Lasts() && len(w) == 4:
		return f, sentence.Error("bad.fault.endless", sentence.Text(w[0]))
	case !f.Kind.Lasts() && len(w) == 6:
		return f, sentence.Error("bad.fault.lasts", sentence.Text(w[0]))
	case len(w) == 4:
		return f, nil
	}
	if f.For, err = time.ParseDuration(w[5]); w[4] != "for" || err != nil || f.For <= 0 || f.For > MaxAt {
		return f, sentence.Error("bad.fault.for", sentence.Quote(w[4]+" "+w[5]))
	}
	return f, nil
}

const (
	serverWord = "server"
	clientWord = "client-"
)

func (f *Fault) setTarget(word string) error {
	if f.Kind.Target() == ToServer {
		if word != serverWord {
			return sentence.Error("bad.fault.server", sentence.Quote(word))
		}
		return nil
	}
	num, isClient := strings.CutPrefix(word, clientWord)
	n, err := strconv.Atoi(num)
	if !isClient || err != nil || n < 1 {
		return sentence.Error("bad.fault.client", sentence.Quote(word))
	}
	f.Client = n
	return nil
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

// Validate says why the fault cannot happen in a run with so many clients, or returns nil.
func (f Fault) Validate(clients int) error {
	it := sentence.Quote(f.String())
	switch {
	case !f.Kind.known():
		return sentence.Error("bad.fault.unknown", it)
	case f.Kind.Target() == ToClient && (f.Client < 1 || f.Client > clients):
		return sentence.Error("bad.fault.among", it, sentence.Number(f.Client), sentence.Number(clients))
	case f.Kind.Target() == ToServer && f.Client != Server:
		return sentence.Error("bad.fault.to-client", it)
	case f.At < 0 || f.At > MaxAt || f.For < 0 || f.For > MaxAt:
		return sentence.Error("bad.fault.times", it, sentence.Span(MaxAt))
	case f.Kind.Lasts() != (f.For > 0):
		return sentence.Error("bad.fault.length", it, sentence.Span(f.For))
	}
	return nil
}
