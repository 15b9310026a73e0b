package main

import (
	"sync"

	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/static/strings"
	ui "github.com/zkviz/zkviz/static/strings/words"
)

// english returns the sentences that the command line and the pages have in common.
var english = sync.OnceValue(func() ui.Words {
	w, err := strings.Load(strings.Source)
	if err != nil {
		panic(err) // the file is a part of the program, and tested
	}
	return w
})

// voice says sentences as the command line does.
func voice() sentence.Voice { return sentence.Voice{Say: english().Say} }

// word puts the violations into words.
func word(violations []run.Violation) {
	for i := range violations {
		violations[i].Text = voice().Says(violations[i].Sentence)
	}
}
