package sentence

import (
	"errors"
	"strings"
)

// said is an error with a sentence for people.
type said struct {
	sentence Sentence
	err      error
}

// Error is for program logs, like Sentence.String.
func (e *said) Error() string      { return e.sentence.String() }
func (e *said) Unwrap() error      { return e.err }
func (e *said) Sentence() Sentence { return e.sentence }

// Error returns an error with a sentence from the language files.
func Error(key string, args ...Arg) error { return &said{sentence: Of(key, args...)} }

// Wrap returns an Error that wraps err, with err's own sentence as the last argument.
func Wrap(err error, key string, args ...Arg) error {
	return &said{Of(key, append(args, Cause(err))...), err}
}

// mostClipped is the maximum length, in bytes, of text from an error without a sentence.
const mostClipped = 120

// From returns err's sentence for people: its own, the wrapped error's, or the sentences of several joined errors.
// For any other error, the sentence is its text.
func From(err error) Sentence {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var list []Sentence
		for _, err := range all.Unwrap() {
			list = append(list, From(err))
		}
		return Of("error.text", Sentences(list...))
	}
	var e interface{ Sentence() Sentence }
	if errors.As(err, &e) {
		return e.Sentence()
	}
	return Of("error.text", Text(clip(err.Error(), mostClipped)))
}

// Cause returns err's sentence as an argument.
func Cause(err error) Arg { return Sentences(From(err)) }

// Error returns all of err in words, with its sentence in place of the key that logs show.
func (v Voice) Error(err error) string {
	var e interface {
		error
		Sentence() Sentence
	}
	if _, ok := err.(interface{ Unwrap() []error }); ok {
		return v.Says(From(err))
	}
	if !errors.As(err, &e) {
		return err.Error()
	}
	return strings.Replace(err.Error(), e.Error(), v.Says(e.Sentence()), 1)
}

// clip shortens a text to at most so many bytes.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
