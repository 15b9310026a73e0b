package clients

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// report runs a program that prints "ok NAME" or "not ok NAME" for each check, the latter followed by lines that
// begin with a space. Each check becomes a test of its own. There must be as many as wanted.
func report(t *testing.T, wanted int, cmd *exec.Cmd) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %v\n%s", cmd, err, errs.String())
	}
	checks := entries(out.String())
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			if !c.ok {
				t.Error(c.text)
			}
		})
	}
	if len(checks) != wanted {
		t.Errorf("%d things were tried, want %d; the program said\n%s%s", len(checks), wanted, out.String(), errs.String())
	}
}

type entry struct {
	name string
	ok   bool
	text string // why not
}

func entries(out string) (all []entry) {
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(line, "ok "); ok {
			all = append(all, entry{name: strings.TrimSpace(name), ok: true})
		} else if name, ok := strings.CutPrefix(line, "not ok "); ok {
			all = append(all, entry{name: strings.TrimSpace(name)})
		} else if len(all) > 0 {
			all[len(all)-1].text += line
		}
	}
	return all
}
