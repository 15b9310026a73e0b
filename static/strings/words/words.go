// Package words holds the sentences of the user interface in one language, by key.
//
// It is apart from static/strings, which reads the files, because the browser's part (wasm/panes) gets its
// words from the page and must not pay for a JSON decoder.
package words

import "strings"

// Words maps a key such as "nav.lessons" to a sentence. {0}, {1}, … in it stand for arguments.
type Words map[string]string

// Say is the sentence of key with args put in. A key that is missing is returned as it is: wrong on the
// screen, but readable, and the tests of static/strings and of the pages find it first.
func (w Words) Say(key string, args ...string) string {
	s, ok := w[key]
	if !ok {
		return key
	}
	if len(args) == 0 || !strings.Contains(s, "{") {
		return s
	}
	return string(w.Append(nil, key, args...))
}

// Has reports whether there is a sentence for key.
func (w Words) Has(key string) bool {
	_, ok := w[key]
	return ok
}

// Append appends what Say returns to b. It goes through the sentence once, so that an argument that itself contains
// "{1}" (a znode's name may) stays as it is.
func (w Words) Append(b []byte, key string, args ...string) []byte {
	s, ok := w[key]
	if !ok {
		return append(b, key...)
	}
	for {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			return append(b, s...)
		}
		b = append(b, s[:i]...)
		if i+2 < len(s) && s[i+2] == '}' {
			if n := int(s[i+1]) - '0'; n >= 0 && n < len(args) {
				b, s = append(b, args[n]...), s[i+3:]
				continue
			}
		}
		b, s = append(b, '{'), s[i+1:]
	}
}
