package tidy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// avoided holds words that must not occur, with replacements.
type avoided struct {
	pattern *regexp.Regexp
	instead map[string]string // by the word in lower case
}

var column = regexp.MustCompile(`\s{2,}`)

// avoidedWords reads words.txt: words that must not occur anywhere, and words not for texts that people read.
func avoidedWords(t *testing.T) (everywhere, read avoided) {
	t.Helper()
	text, err := os.ReadFile("words.txt")
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]map[string]string{"everywhere": {}, "read": {}}
	var part map[string]string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		words := column.Split(line, 2)
		switch head := parts[line]; {
		case head != nil:
			part = head
		case part == nil || len(words) != 2:
			t.Fatalf("words.txt: %q is not a phrase, two spaces or more, and what to say instead", line)
		default:
			part[words[0]] = words[1]
		}
	}
	return newAvoided(parts["everywhere"]), newAvoided(parts["read"])
}

func newAvoided(instead map[string]string) avoided {
	var all []string
	for word := range instead {
		all = append(all, regexp.QuoteMeta(word))
	}
	slices.Sort(all)
	return avoided{regexp.MustCompile(`(?i)\b(` + strings.Join(all, "|") + `)\b`), instead}
}

// in reports each line of a text that has one of the words.
func (a avoided) in(t *testing.T, name, text string) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		if word := a.pattern.FindString(line); word != "" {
			t.Errorf("%s:%d says %q; say instead: %s", name, n, word, a.instead[strings.ToLower(word)])
		}
	}
}

var (
	stringKey = regexp.MustCompile(`(?m)^\s*"[^"]*": `)
	comment   = regexp.MustCompile(`(?m)//.*$`)
)

// toRead returns the part of a file that people read: a document, a lesson, the values of strings, a command's
// output. Line numbers stay the same.
func toRead(s source) string {
	switch ext := filepath.Ext(s.name); {
	case ext == ".md":
		return s.text
	case ext == ".json" && under(s.folder(), "static/strings"):
		return stringKey.ReplaceAllString(s.text, "")
	case ext == ".go" && s.folder() == "cmd/viz-server" && !s.isTest():
		return comment.ReplaceAllString(s.text, "")
	}
	return ""
}

// TestWords checks for plain technical English everywhere, and for spoken words in texts that people read.
func TestWords(t *testing.T) {
	everywhere, read := avoidedWords(t)
	people := 0
	for _, s := range sources(t, ".go", ".templ", ".json", ".js", ".css", ".md") {
		if under(s.folder(), "cmd/tidy") {
			continue
		}
		everywhere.in(t, s.name, s.text)
		if text := toRead(s); text != "" {
			people++
			read.in(t, s.name, text)
		}
	}
	if people < 40 {
		t.Errorf("people read %d files only", people)
	}
}
