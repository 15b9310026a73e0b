package protocol

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Window is a period in ms since 1970; Until is exclusive.
type Window struct{ Since, Until int64 }

// String formats w for ParseWindow.
func (w Window) String() string {
	return strconv.FormatInt(w.Since, 10) + "-" + strconv.FormatInt(w.Until, 10)
}

// ParseWindow parses a period, which must not be empty.
func ParseWindow(text string) (w Window, err error) {
	since, until, _ := strings.Cut(text, "-")
	from, err1 := strconv.ParseUint(since, 10, 53)
	to, err2 := strconv.ParseUint(until, 10, 53)
	if err1 != nil || err2 != nil || to <= from {
		return w, sentence.Error("bad.window", sentence.Quote(Clip(text)))
	}
	return Window{int64(from), int64(to)}, nil
}
