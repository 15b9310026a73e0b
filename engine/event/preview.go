package event

import "strings"

// Preview returns the start of data as text that is safe in an event: valid UTF-8, at most MaxText bytes.
func Preview(data []byte) string {
	if len(data) == 0 {
		return ""
	}
	s := strings.ToValidUTF8(string(data[:min(len(data), MaxText)]), "\uFFFD")
	for len(s) > MaxText {
		s = strings.ToValidUTF8(s[:MaxText], "")
	}
	return s
}
