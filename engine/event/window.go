package event

import (
	"strconv"
	"strings"
)

// WindowText is the Text of a SyncChosen whose leader has the transactions from one to the other at hand.
func WindowText(from, to int64) string {
	b := strconv.AppendInt([]byte("0x"), from, 16)
	return string(strconv.AppendInt(append(b, "..0x"...), to, 16))
}

// Window is what WindowText was given. It reports false for a Text of another form.
func Window(text string) (from, to int64, ok bool) {
	a, b, _ := strings.Cut(text, "..")
	from, err := strconv.ParseInt(a, 0, 64)
	if err != nil {
		return 0, 0, false
	}
	to, err = strconv.ParseInt(b, 0, 64)
	return from, to, err == nil
}
