package main

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStory draws the story of a lesson and of its trace, in both formats, and refuses what makes no sense.
func TestStory(t *testing.T) {
	code, whole, errs := printed(t, "story", "two-believe")
	if code != exitOK || xml.Unmarshal([]byte(whole), new(struct{})) != nil {
		t.Fatalf("exit code %d, %.200s\n%s", code, whole, errs)
	}
	for _, want := range []string{">thinks it is inside<", ">A&#39;s session is over<", ">torn<", ">printer<",
		"<desc>", "A thinks it is inside"} {
		if !strings.Contains(whole, want) {
			t.Errorf("the picture doesn't say %q", want)
		}
	}
	_, part, _ := printed(t, "story", "two-believe", "--from", "30s")
	if strings.Contains(part, "thinks it is") || !strings.Contains(part, ">inside<") {
		t.Errorf("what was before 30s is in a picture from there on: %s", part)
	}
	_, tall, _ := printed(t, "story", "two-believe", "--tall")
	_, dark, _ := printed(t, "story", "two-believe", "--dark")
	_, caused, _ := printed(t, "story", "two-believe", "--event", "109")
	for name, other := range map[string]string{"tall": tall, "dark": dark, "caused": caused} {
		if other == whole || other == "" {
			t.Errorf("the %s picture is the usual one", name)
		}
	}
	png := filepath.Join(t.TempDir(), "story.png")
	if code, _, errs := printed(t, "story", "two-believe", "-o", png); code != exitOK {
		t.Fatal(errs)
	}
	if saved, err := os.ReadFile(png); err != nil || !bytes.HasPrefix(saved, []byte("\x89PNG")) {
		t.Errorf("%v, %.20q", err, saved)
	}
}

// TestStoryRefuses checks what is said about flags and names that don't fit.
func TestStoryRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"did you mean two-believe":     {"two-beleive"},
		"no stretch of a run":          {"two-believe", "--from", "5s", "--to", "2s"},
		"has no event from 3h":         {"two-believe", "--from", "3h"},
		"none has the number 100000":   {"two-believe", "--event", "100000"},
		"pictures are SVG or PNG":      {"two-believe", "-o", "a.jpg"},
		"expected a valid 32 bit uint": {"two-believe", "--event", "-1"},
	} {
		code, _, errs := printed(t, append([]string{"story"}, args...)...)
		if code == exitOK || !strings.Contains(errs, want) {
			t.Errorf("%q: exit code %d, %s, want %q", args, code, errs, want)
		}
	}
}

// TestStoryOfATrace checks that a saved run has the story of the run.
func TestStoryOfATrace(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "run.jsonl")
	if code, _, errs := printed(t, "run", "predecessor-lock", "--clients", "2", "--trace", trace); code != exitOK {
		t.Fatal(errs)
	}
	code, svg, errs := printed(t, "story", trace)
	if code != exitOK || !strings.Contains(svg, ">inside<") || !strings.Contains(svg, ">ZooKeeper<") {
		t.Errorf("exit code %d, %.300s\n%s", code, svg, errs)
	}
}
