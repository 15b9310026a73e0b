package lessons_test

import (
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/static/strings"
)

// worded writes an error as the command line does.
func worded(err error) string {
	return sentence.Voice{Say: strings.English().Say}.Error(err)
}
