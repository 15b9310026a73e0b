package protocol

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/sentence"
)

// Window is a while, from one time to before another, in ms since 1970.
type Window struct{ Since, Until int64 }

// String writes it as ParseWindow reads it.
func (w Window) String() string {
	return strconv.FormatInt(w.Since, 10) + "-" + strconv.FormatInt(w.Until, 10)
}

// ParseWindow reads a while that isn't empty.
func ParseWindow(text string) (w Window, err error) {
	since, until, _ := strings.Cut(text, "-")
	from, err1 := strconv.ParseUint(since, 10, 53)
	to, err2 := strconv.ParseUint(until, 10, 53)
	if err1 != nil || err2 != nil || to <= from {
		return w, sentence.Error("bad.window", sentence.Quote(Clip(text)))
	}
	return Window{int64(from), int64(to)}, nil
}
