package conform_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/conform"
)

// TestGeneratedScriptsAreText checks that a generated script can be printed and parsed again.
func TestGeneratedScriptsAreText(t *testing.T) {
	g := conform.Generator{Seed: 1, Requests: 500}
	for n := range 20 {
		script := g.Script(n)
		if again := g.Script(n); !reflect.DeepEqual(script, again) {
			t.Fatalf("script %d is another the second time", n)
		}
		read, err := conform.Parse(script.String())
		if err != nil {
			t.Fatalf("script %d: %v", n, err)
		}
		if text := read.String(); text != script.String() {
			t.Fatalf("script %d reads\n%s\nand was\n%s", n, text, script)
		}
		if asked := script.Requests(); asked < 500 || asked > 700 {
			t.Errorf("script %d has %d requests, not 500 and a few", n, asked)
		}
	}
}

// TestParseErrors checks that the errors of invalid scripts tell the line.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"dance a": "line 1: dance a: dance is not a step",
		"create": "line 1: create: create needs a connection's name, in lower case letters and " +
			"digits",
		"connect a\ncreate a":   "line 2: create a: the path is missing",
		"create a /x ttl=1":     "line 1: create a /x ttl=1: create has no ttl",
		"+ create /x":           "line 1: + create /x: there is no multi above it",
		"await 0":               "line 1: await 0: await needs a number from 1 to 1000",
		`create a "/x`:          `line 1: create a "/x: a quotation mark is missing in "/x`,
		"create a /x acl=world": `line 1: create a /x acl=world: acl=world: "world" is not scheme:id:permissions`,
	} {
		if _, err := conform.Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, not %s", text, err, want)
		}
	}
}

// FuzzParse checks that what can be parsed can be printed and parsed again.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if len(text) < 1<<16 {
			f.Add(string(text))
		}
	}
	f.Add(conform.Generator{Seed: 3, Requests: 50}.Script(0).String())
	f.Fuzz(func(t *testing.T, text string) {
		script, err := conform.Parse(text)
		if err != nil {
			return
		}
		again, err := conform.Parse(script.String())
		if err != nil {
			t.Fatalf("%q becomes %q, which cannot be read: %v", text, script, err)
		}
		if again.String() != script.String() {
			t.Fatalf("%q becomes %q and then %q", text, script, again)
		}
	})
}
