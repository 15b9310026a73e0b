// Package words holds the sentences of the user interface in one language, by key.
//
// It is apart from static/strings, which has the files: the browser's parts (engine/stage/panes, wasm/engine) get their
// words from the page, and carry no encoding/json.
package words

import (
	"strings"

	"github.com/zkviz/zkviz/engine/base/jsontext"
)

// Words maps a key such as "nav.lessons" to a sentence. {0}, {1}, … in it stand for arguments. {0|item|items} stands
// for the first word if the argument is 1, and else for the second.
type Words map[string]string

// Read reads a JSON object. The words of a page are thousands, so they come from the browser as one text.
func Read(text string) (Words, error) {
	w, d := Words{}, jsontext.Decoder{Text: text}
	err := d.Members(func(key string) (err error) {
		w[key], err = d.Quoted()
		return err
	})
	return w, err
}

// Say returns the sentence of key with args filled in. For a missing key it returns the key: wrong on the screen, but
// readable. The tests of static/strings and of the pages find missing keys first.
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

// Has reports whether key has a sentence.
func (w Words) Has(key string) bool {
	_, ok := w[key]
	return ok
}

// Append appends what Say returns to b. It makes one pass, so an argument that contains "{1}" itself, as a znode's
// name may, stays unchanged.
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
		put, length := place(s[i:], args)
		b, s = append(b, put...), s[i+length:]
	}
}

// place returns the text for the placeholder at the start of s, and the placeholder's length. A brace that starts no
// placeholder stays unchanged.
func place(s string, args []string) (put string, length int) {
	end := strings.IndexByte(s, '}')
	if end < 2 {
		return s[:1], 1
	}
	n := int(s[1]) - '0'
	if n < 0 || n >= len(args) {
		return s[:1], 1
	}
	one, many, ok := strings.Cut(s[2:end], "|")
	switch {
	case end == 2:
		return args[n], end + 1
	case !ok || one != "":
		return s[:1], 1
	}
	if one, many, _ = strings.Cut(many, "|"); args[n] != "1" {
		one = many
	}
	return one, end + 1
}
