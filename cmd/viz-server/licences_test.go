package main

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/static"
)

// TestLicences checks that the linked code's licences are printed unchanged.
func TestLicences(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"licences", "licenses"} {
		code, out, errs := printed(t, name)
		if code != exitOK || out != static.Licences() || errs != "" {
			t.Errorf("%s: exit code %d, %d bytes, %s", name, code, len(out), errs)
		}
		if !strings.Contains(out, "Apache License") || !strings.Contains(out, "Permission is hereby granted") {
			t.Errorf("%s: there are no licences in it", name)
		}
	}
}
