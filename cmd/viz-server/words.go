package main

import (
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/static/strings"
)

// voice says sentences as the command line does.
func voice() sentence.Voice { return sentence.Voice{Say: strings.English().Say} }

// word puts the violations into words.
func word(violations []run.Violation) {
	for i := range violations {
		violations[i].Text = voice().Says(violations[i].Sentence)
	}
}

// wordPromises puts what was promised into words.
func wordPromises(promises []run.Promise) {
	for i := range promises {
		promises[i].Text = voice().Says(promises[i].Asks)
	}
}
