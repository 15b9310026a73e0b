package lessons_test

import (
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/static/strings"
)

// worded is what the command line says of an error.
func worded(err error) string {
	return sentence.Voice{Say: strings.English().Say}.Error(err)
}
