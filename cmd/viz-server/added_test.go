package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAddedRecipe adds a recipe as docs/adding/recipe.md says: one file, one line in the catalogue and two sentences.
// The built program must list, judge, explore, draw and explain it, and the recipes' tests must hold it to what it
// says of itself.
func TestAddedRecipe(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	t.Parallel()
	program, overlay := withTurnstile(t)
	held := exec.Command("go", "test", "-vet=off", "-overlay", overlay, "-v", "-run",
		"^(TestPromisesHold|TestLimitsAreReal)$/^turnstile$", "../../recipes")
	if out, err := held.CombinedOutput(); err != nil || bytes.Count(out, []byte("--- PASS: Test")) != 4 {
		t.Errorf("held: %v\n%s", err, out)
	}
	trace := filepath.Join(t.TempDir(), "trace.jsonl")
	for _, c := range []struct {
		what string
		args []string
		want []string // regular expressions for whole lines
	}{
		{"listed", []string{"recipes"}, []string{
			`turnstile +A lock of tickets: the smallest number is inside\.`,
			`  turnstile +belief-exclusion`,
		}},
		{"judged", []string{"run", "turnstile", "--clients", "3", "--trace", trace}, []string{
			`  ok +At most one client is inside at a time, by the server.s account\.`,
			`  ok +A release wakes at most one client\.`,
		}},
		{"judged again from its trace", []string{"check", trace},
			[]string{`  ok +At most one client is inside at a time, by the server.s account\.`}},
		{"explored", []string{"explore", "turnstile", "--seeds", "200"}, []string{`.*200 seeds.*`}},
		{"drawn", []string{"render", trace, "--at", "5ms"}, []string{`.*>tickets<.*`, `.*>A<.*`}},
	} {
		out, err := exec.Command(program, c.args...).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		for _, want := range c.want {
			if !regexp.MustCompile("(?m)^" + want + "$").Match(out) {
				t.Errorf("%s: no line is %s in\n%s", c.what, want, out)
			}
		}
	}
	site := serving(t, program)
	for path, want := range map[string]string{
		"/recipes":              "A release wakes the next one alone.",
		"/lab?recipe=turnstile": "lets in the one who has the smallest number",
	} {
		if body := fetch(t, site+path); !strings.Contains(body, want) {
			t.Errorf("explained: %s does not say %q", path, want)
		}
	}
}

// withTurnstile builds the program with the recipe in testdata, and returns what adds it.
func withTurnstile(t *testing.T) (program, overlay string) {
	t.Helper()
	dir := t.TempDir()
	recipes, err := filepath.Abs("../../recipes")
	if err != nil {
		t.Fatal(err)
	}
	recipe, err := filepath.Abs("testdata/added/turnstile.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	catalogue := filepath.Join(recipes, "catalogue.go")
	text, err := os.ReadFile(catalogue)
	if err != nil {
		t.Fatal(err)
	}
	english := filepath.Join(filepath.Dir(recipes), "static/strings/en.json")
	words, err := os.ReadFile(english)
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Replace(string(words), "{", `{
		"recipe.turnstile": "A lock of tickets: the smallest number is inside.",
		"cost.turnstile": "A release wakes the next one alone.",`, 1)
	const last = "\t\tworkAssignmentRecipe,\n"
	longer := strings.Replace(string(text), last, last+"\t\tturnstileRecipe,\n", 1)
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(recipes, "turnstile.go"): recipe,
		catalogue:                              filepath.Join(dir, "catalogue.go"),
		english:                                filepath.Join(dir, "en.json"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"catalogue.go": longer, "en.json": said, "overlay.json": string(replaced)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program, overlay = filepath.Join(dir, "viz-server"), filepath.Join(dir, "overlay.json")
	build := exec.Command("go", "build", "-overlay", overlay, "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build with one more recipe: %v\n%s", err, out)
	}
	return program, overlay
}

// serving runs the program as a server until the test ends, and returns its address.
func serving(t *testing.T, program string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, program, "serve", "--addr", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
	})
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if found := address.FindString(lines.Text()); found != "" {
			go func() { _, _ = io.Copy(io.Discard, out) }() // ends with the program
			return found
		}
	}
	t.Fatal("the program does not say where it listens")
	return ""
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	reply, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
