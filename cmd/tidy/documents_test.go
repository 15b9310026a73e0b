package tidy_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/lessons"
)

// longestDocument maps documents for users to their maximum size in bytes.
var longestDocument = map[string]int{
	"README.md": 6000, "CHANGELOG.md": 3000, "SECURITY.md": 4000,
	"docs/learn.md": 8000, "docs/on-call.md": 11_000, "docs/other-systems.md": 16_000, "docs/server.md": 8000,
	"docs/servers.md": 3000, "docs/teach.md": 11_000, "docs/terminal.md": 8500, "docs/zookeeper.md": 21_500,
}

// documents returns the documents at the top and in docs. Lessons have separate rules.
func documents(t *testing.T) (all []source) {
	t.Helper()
	for _, s := range sources(t, ".md") {
		if s.folder() == "." || under(s.folder(), "docs") {
			all = append(all, s)
		}
	}
	return all
}

// TestDocumentsAreShort checks that documents for users are short enough for a hurried reader.
func TestDocumentsAreShort(t *testing.T) {
	found := 0
	for _, s := range documents(t) {
		most, ok := longestDocument[s.name]
		if !ok {
			continue
		}
		if found++; len(s.text) > most {
			t.Errorf("%s has %d bytes, more than %d", s.name, len(s.text), most)
		}
	}
	if found != len(longestDocument) {
		t.Errorf("only %d documents of %d are there", found, len(longestDocument))
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	code    = regexp.MustCompile("(?ms)^```.*?^```$|^    .*?$|`[^`\n]*`")
	strange = regexp.MustCompile(`[^\p{L}\p{N}\s_-]`)
)

// anchors returns GitHub's anchors for a document's headings.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		all[strings.ReplaceAll(strange.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	return all
}

// TestLinks checks that each relative link in a document leads to a file, and to a heading in it.
func TestLinks(t *testing.T) {
	for _, s := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(code.ReplaceAllString(s.text, ""), -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(found[1], "#")
			to, text := path.Join(s.folder(), file), s.text
			if file != "" {
				if _, err := os.Stat(filepath.Join(top, to)); err != nil {
					t.Errorf("%s links to %s, which isn't there", s.name, found[1])
					continue
				}
			}
			if anchor == "" {
				continue
			}
			if file != "" {
				there, err := os.ReadFile(filepath.Join(top, to))
				if err != nil {
					t.Fatal(err)
				}
				text = string(there)
			}
			if !anchors(text)[anchor] {
				t.Errorf("%s links to %s, which has no such heading", s.name, found[1])
			}
		}
	}
}

var lessonCount = regexp.MustCompile(`(?i)\b([\w-]+)(?: short)?\s+lessons\s+in\s+(\w+)\s+parts`)

// TestNumberOfLessons checks that texts that say how many lessons and parts there are say the right numbers.
func TestNumberOfLessons(t *testing.T) {
	said := 0
	book, err := lessons.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources(t, ".md") {
		for _, m := range lessonCount.FindAllStringSubmatch(s.text, -1) {
			said++
			want := inWords(len(book.Lessons)) + " in " + inWords(len(book.Parts(lessons.Source)))
			if got := strings.ToLower(m[1] + " in " + m[2]); got != want {
				t.Errorf("%s says %s, and there are %s", s.name, got, want)
			}
		}
	}
	if said < 4 {
		t.Errorf("only %d texts say how many lessons there are", said)
	}
}

// inWords returns a number from 1 to 99.
func inWords(n int) string {
	small := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen " +
		"fifteen sixteen seventeen eighteen nineteen")
	if n < len(small) {
		return small[n]
	}
	tens := strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety")[n/10-2]
	if n%10 == 0 {
		return tens
	}
	return tens + "-" + small[n%10]
}
