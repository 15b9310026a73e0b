package protocol_test

import (
	"github.com/zkviz/zkviz/engine/event/sentence"
	languages "github.com/zkviz/zkviz/static/strings"
)

// said returns an error in the words of the command line.
func said(err error) string { return sentence.Voice{Say: languages.English().Say}.Error(err) }
