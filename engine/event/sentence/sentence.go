// Package sentence represents sentences as values: a key and arguments. It has no words; those are in the language
// files. A Voice says a sentence in the reader's language.
//
// Packages that judge logs or refuse requests make sentences. The command line, the pages and the browser's panes say
// them. An error for people has one (Error).
package sentence

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Sentence is the key of a sentence in the language files and its arguments. The zero Sentence says nothing.
type Sentence struct {
	Key  string
	Args []Arg
}

// Of returns a sentence.
func Of(key string, args ...Arg) Sentence { return Sentence{key, args} }

// Arg is an argument of a sentence. Only the functions of this package make one.
type Arg struct {
	kind      kind
	text      string // literal, or a path
	number    int64  // a number, a list's length, or a time in ns
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
	manyTexts
)

// MostNamed is how many clients or paths of a list are named. The rest are counted, if there is more than one.
const MostNamed = 3

// Text returns text that somebody wrote, in whatever language.
func Text(s string) Arg { return Arg{kind: asItIs, text: s} }

// Texts returns several such texts. It keeps only the first few and the number of all.
func Texts(list []string) Arg {
	return Arg{kind: manyTexts, paths: slices.Clone(list[:min(len(list), MostNamed+1)]), number: int64(len(list))}
}

// Quote returns text that somebody wrote, in quotes, with unprintable characters escaped. It cuts long text.
func Quote[T ~string](s T) Arg { return Arg{kind: aQuote, text: clip(string(s), mostClipped)} }

// Client returns a client, or ZooKeeper.
func Client(a event.Actor) Arg { return Arg{kind: aClient, client: a} }

// Clients returns several clients. It keeps only the first few and the number of all.
func Clients(list []event.Actor) Arg { return SomeOf(list, len(list)) }

// SomeOf returns n clients, of which list has at least those to be named.
func SomeOf(list []event.Actor, n int) Arg {
	return Arg{kind: manyClients, clients: slices.Clone(list[:min(len(list), MostNamed+1)]), number: int64(n)}
}

// Path returns a znode.
func Path(path string) Arg { return Arg{kind: aPath, text: path} }

// Paths returns several znodes. It keeps only the first few and the number of all.
func Paths(list []string) Arg {
	return Arg{kind: manyPaths, paths: slices.Clone(list[:min(len(list), MostNamed+1)]), number: int64(len(list))}
}

// Time returns a time since the start of the run.
func Time(t time.Duration) Arg { return Arg{kind: aTime, number: int64(t)} }

// Span returns a length of time.
func Span(d time.Duration) Arg { return Arg{kind: aSpan, number: int64(d)} }

// Duration returns a time that a user gave, or may give, in Go's notation.
func Duration(d time.Duration) Arg { return Arg{kind: aDuration, number: int64(d)} }

// Request returns a request to ZooKeeper. The path may be empty.
func Request(op event.Op, path string) Arg { return Arg{kind: aRequest, op: op, text: path} }

// Number returns a count, a version or the like.
func Number[T ~int | ~int64 | ~uint32](n T) Arg { return Arg{kind: aNumber, number: int64(n)} }

// Sentences returns several sentences, which follow one another.
func Sentences(list ...Sentence) Arg { return Arg{kind: manySentences, sentences: list} }
