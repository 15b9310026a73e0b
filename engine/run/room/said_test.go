package room

import (
	"github.com/zkviz/zkviz/engine/event/sentence"
	languages "github.com/zkviz/zkviz/static/strings"
)

// words returns a sentence in English.
func words(s sentence.Sentence) string { return sentence.Voice{Say: languages.English().Say}.Says(s) }
