package main

import (
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/static/strings"
)

// voice returns the command line's voice, in English.
func voice() sentence.Voice { return sentence.Voice{Say: strings.English().Say} }

// wordViolations sets the violations' texts.
func wordViolations(violations []run.Violation) {
	for i := range violations {
		violations[i].Text = voice().Says(violations[i].Sentence)
	}
}

// wordPromises sets the promises' texts.
func wordPromises(promises []run.Promise) {
	for i := range promises {
		promises[i].Text = voice().Says(promises[i].Asks)
	}
}
