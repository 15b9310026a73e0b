package sentence

import (
	"errors"
	"strings"
)

// said is an error that has a sentence for a person.
type said struct {
	sentence Sentence
	err      error
}

// Error is for logs of programs, as Sentence.String is.
func (e *said) Error() string      { return e.sentence.String() }
func (e *said) Unwrap() error      { return e.err }
func (e *said) Sentence() Sentence { return e.sentence }

// Error makes an error that a person is told in words of the language files.
func Error(key string, args ...Arg) error { return &said{sentence: Of(key, args...)} }

// Wrap is Error with err as its cause, and what it says as the last argument.
func Wrap(err error, key string, args ...Arg) error {
	return &said{Of(key, append(args, Cause(err))...), err}
}

// mostClipped is how much, in bytes, an error may say that has no sentence.
const mostClipped = 120

// From returns what err says to a person: its own sentence, that of the error that it wraps, those of several joined
// errors, or, of an error from elsewhere, its text.
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

// Cause is what an error says.
func Cause(err error) Arg { return Sentences(From(err)) }

// Error says all of err in words: its sentence in place of what stands for it in logs.
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

// clip keeps the beginning of a text, of at most so many bytes.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
