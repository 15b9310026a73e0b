package main

import (
	"bytes"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestClassCommand begins classes at running servers, and where there is none.
func TestClassCommand(t *testing.T) {
	t.Parallel()
	address, stop := served(t, "--base-path", "/zkviz", "--token-file", tokenFile(t))
	defer stop()
	run := func(args ...string) (code int, out, errs string) {
		var o, e bytes.Buffer
		code = execute(append([]string{"class"}, args...), &terminal{ctx: t.Context(), out: &o, err: &e})
		return code, o.String(), e.String()
	}
	code, out, errs := run("--url", address, "--at", "/lessons/the-herd?at=2s#release", "--token-file", tokenFile(t))
	links := regexp.MustCompile(`(?m)^For learners:    (\S+)\nFor you alone:   (\S+)#teach=\S{27}\n\n[█▀▄ \n]+\z`).
		FindStringSubmatch(out)
	if code != exitOK || links == nil || links[1] != links[2] || !strings.HasPrefix(links[1], address+"/class/") ||
		!strings.Contains(errs, "Only this machine") {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--url", address}, "begins no class: This server asks for a token"},
		{[]string{"--url", "http://" + u.Host, "--token-file", tokenFile(t)},
			"begins no class: Only GET and HEAD are allowed. (status 405)"},
		{[]string{"--url", address, "--at", "/../x", "--token-file", tokenFile(t)}, `/../x" is no page of this server`},
		{[]string{"--url", "http://127.0.0.1:1"}, "start one with viz-server --addr 0.0.0.0:8080"},
		{[]string{"--url", "10.0.3.7:8080"}, "an address is like http://10.0.3.7:8080"},
		{[]string{"--at", "//evil.example/x"}, `"//evil.example/x" is no page`},
	} {
		if code, out, errs := run(c.args...); code != exitTrouble || !strings.Contains(errs, c.says) || out != "" {
			t.Errorf("%v: exit code %d\n%s%s", c.args, code, out, errs)
		}
	}
}

func tokenFile(t *testing.T) string {
	t.Helper()
	name := t.TempDir() + "/token"
	if err := os.WriteFile(name, []byte("a-token-that-is-long-enough\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
