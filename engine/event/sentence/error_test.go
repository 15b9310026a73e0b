package sentence_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// TestErrors checks an error's words for people, for the command line and for logs.
func TestErrors(t *testing.T) {
	left := sentence.Error("left", sentence.Client(1), sentence.Path("/l/a"))
	failed := sentence.Wrap(io.EOF, "failed", sentence.Text("it"))
	for _, c := range []struct {
		err                 error
		person, line, plain string
	}{
		{io.EOF, "EOF", "EOF", "EOF"},
		{left, "client-1 left a", "client-1 left a", "left(client-1, a)"},
		{fmt.Errorf("run x: %w", left), "client-1 left a", "run x: client-1 left a", "run x: left(client-1, a)"},
		{failed, "it failed: EOF", "it failed: EOF", "failed(it, error.text(EOF))"},
		{sentence.Wrap(fmt.Errorf("x: %w", left), "failed", sentence.Text("it")), "it failed: client-1 left a",
			"it failed: client-1 left a", "failed(it, left(client-1, a))"},
		{errors.Join(left, io.EOF), "client-1 left a; EOF", "client-1 left a; EOF", "left(client-1, a)\nEOF"},
	} {
		voice := sentence.Voice{Say: say}
		if got := voice.Says(sentence.From(c.err)); got != c.person {
			t.Errorf("of %v a person is told %q, want %q", c.err, got, c.person)
		}
		if got := voice.Error(c.err); got != c.line {
			t.Errorf("%v in words is %q, want %q", c.err, got, c.line)
		}
		if got := c.err.Error(); got != c.plain {
			t.Errorf("it is %q, want %q", got, c.plain)
		}
	}
	if !errors.Is(failed, io.EOF) || errors.Is(left, failed) || !errors.Is(left, left) {
		t.Error("an error is taken for another, or not for its cause")
	}
}
