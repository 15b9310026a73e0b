package event

import (
	"strconv"
	"strings"
)

// WindowText returns the Text of a SyncChosen whose leader has the transactions between from and to at hand.
func WindowText(from, to int64) string {
	b := strconv.AppendInt([]byte("0x"), from, 16)
	return string(strconv.AppendInt(append(b, "..0x"...), to, 16))
}

// Window returns the arguments of WindowText, or false for any other Text.
func Window(text string) (from, to int64, ok bool) {
	a, b, _ := strings.Cut(text, "..")
	from, err := strconv.ParseInt(a, 0, 64)
	if err != nil {
		return 0, 0, false
	}
	to, err = strconv.ParseInt(b, 0, 64)
	return from, to, err == nil
}
