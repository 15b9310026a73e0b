package class

import (
	"strings"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/base/escape"
)

// isText reports whether a text has something to show, and at most that many characters, each of which shows as itself.
// Lines may end.
func isText(s string, most int) bool {
	return strings.TrimSpace(s) != "" && utf8.RuneCountInString(s) <= most && shows(strings.ReplaceAll(s, "\n", ""))
}

// isName reports whether a name may be shown in a line with others.
func isName(s string) bool {
	return s == strings.TrimSpace(s) && utf8.RuneCountInString(s) <= MaxName && shows(s)
}

// shows reports whether every character shows as itself and leaves its neighbours alone.
func shows(s string) bool { return utf8.ValidString(s) && escape.Line(s) == s }
