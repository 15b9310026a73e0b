package main

import (
	"path/filepath"
	"regexp"
	"testing"
)

// TestPrintedLinksHold checks that the links of explore and fork show what they were made from: the hash is that of
// the run which the page would open.
func TestPrintedLinksHold(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "a.trace")
	if code, _, errs := printed(t, "run", "children-lock", "--clients", "3", "--fault", "crash client-2 at 1.5s",
		"--hold", "1s", "--trace", trace); code != exitOK {
		t.Fatal(errs)
	}
	for _, args := range [][]string{
		{"explore", "no-second-look"}, {"explore", "redis-get-del"}, {"fork", trace, "--link"},
		{"fork", trace, "--link", "--at", "2s", "--recipe", "unique-lock"},
	} {
		_, out, errs := printed(t, args...)
		link := regexp.MustCompile(`/lab\?\S*&at=\S*&event=\d+&sum=[0-9a-f]{16}`).FindString(out)
		if link == "" {
			t.Errorf("%q prints no link with a hash: %s%s", args, out, errs)
			continue
		}
		if code, out, errs := printed(t, "open", link, "--check"); code != exitOK {
			t.Errorf("open %s ends with %d: %s%s", link, code, out, errs)
		}
	}
}
