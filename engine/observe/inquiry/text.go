package inquiry

import "strings"

// Plain returns displayable text: valid UTF-8, without control characters, and at most that many bytes.
func Plain(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}
