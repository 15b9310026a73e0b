// Package sentence holds what is to be said as values: which sentence, and of whom, what and when. It has no words:
// those are in the language files, and anyone who shows a sentence says it in the reader's language (Voice).
//
// The packages that judge logs or refuse what they are asked for make sentences; the command line, the pages and the
// browser's panes say them. An error that a person is told has one (Error).
package sentence

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Sentence is the key of a sentence in the language files, and what goes into it. The zero Sentence says nothing.
type Sentence struct {
	Key  string
	Args []Arg
}

// Of makes a sentence.
func Of(key string, args ...Arg) Sentence { return Sentence{key, args} }

// Arg is what goes into a sentence. It is made by the functions of this package.
type Arg struct {
	kind      kind
	text      string // as it is, or a path
	number    int64  // of the number or of the list's length, or a time in ns
	op        event.Op
	client    event.Actor
	clients   []event.Actor
	paths     []string
	sentences []Sentence
}

type kind uint8

const (
	asItIs kind = iota
	aClient
	manyClients
	aPath
	manyPaths
	aTime
	aSpan
	aNumber
	aRequest
	manySentences
	aQuote
	aDuration
)

// MostNamed clients or paths of a list are named, the rest are counted, if they are more than one.
const MostNamed = 3

// Text is what somebody wrote, in whatever language.
func Text(s string) Arg { return Arg{kind: asItIs, text: s} }

// Quote is what somebody wrote, in quotes, with what does not print escaped. What is long is cut.
func Quote[T ~string](s T) Arg { return Arg{kind: aQuote, text: clip(string(s), mostClipped)} }

// Client is a client, or ZooKeeper.
func Client(a event.Actor) Arg { return Arg{kind: aClient, client: a} }

// Clients are several. Only the first few are kept, with their number.
func Clients(list []event.Actor) Arg { return SomeOf(list, len(list)) }

// SomeOf are n clients, of whom the list has at least those that are named.
func SomeOf(list []event.Actor, n int) Arg {
	return Arg{kind: manyClients, clients: slices.Clone(list[:min(len(list), MostNamed+1)]), number: int64(n)}
}

// Path is a znode.
func Path(path string) Arg { return Arg{kind: aPath, text: path} }

// Paths are several. Only the first few are kept, with their number.
func Paths(list []string) Arg {
	return Arg{kind: manyPaths, paths: slices.Clone(list[:min(len(list), MostNamed+1)]), number: int64(len(list))}
}

// Time is a time since the run began.
func Time(t time.Duration) Arg { return Arg{kind: aTime, number: int64(t)} }

// Span is for how long.
func Span(d time.Duration) Arg { return Arg{kind: aSpan, number: int64(d)} }

// Duration is a time that somebody has given, or may give, as Go writes it.
func Duration(d time.Duration) Arg { return Arg{kind: aDuration, number: int64(d)} }

// Request is what was asked of ZooKeeper. The path may be empty.
func Request(op event.Op, path string) Arg { return Arg{kind: aRequest, op: op, text: path} }

// Number is a count, a version or the like.
func Number[T ~int | ~int64 | ~uint32](n T) Arg { return Arg{kind: aNumber, number: int64(n)} }

// Sentences stand one after the other.
func Sentences(list ...Sentence) Arg { return Arg{kind: manySentences, sentences: list} }
