package main

import (
	"bytes"
	"go/version"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestWithoutLines checks that a program without lines does and prints the same, apart from files and lines.
func TestWithoutLines(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs for the browser")
	}
	if v := runtime.Version(); version.Lang(v) != known && os.Getenv("CI") != "" {
		t.Errorf("this is %s; if all else that's tested here holds, that's the one to know", v)
	}
	for _, flags := range []string{"", "-l"} {
		whole := build(t, flags)
		without, err := withoutLines(whole, "")
		if err != nil {
			t.Fatal(err)
		}
		if again, err := withoutLines(without, ""); err != nil || !bytes.Equal(again, without) {
			t.Errorf("done twice, it's another program, of %d bytes and not %d: %v", len(again), len(without), err)
		}
		some, err := withoutLines(whole, "main.")
		if err != nil {
			t.Fatal(err)
		}
		if said := play(t, some); !strings.Contains(said, "main.go:3") || strings.Contains(said, "proc.go:") {
			t.Errorf("with the lines of one package it says:\n%s", said)
		}
		for _, file := range []string{"runtime/proc.go", "testdata/trace/main.go"} {
			if !bytes.Contains(whole, []byte(file)) || bytes.Contains(without, []byte(file)) {
				t.Errorf("%s should be in the program before, and not after", file)
			}
		}
		said, now := play(t, whole), play(t, without)
		for _, want := range []string{"sum 500500", "recovered failed", "main.fail", "main.go:3", "[recovered]"} {
			if !strings.Contains(said, want) {
				t.Fatalf("it doesn't say %q but:\n%s", want, said)
			}
		}
		want := lessTold(said)
		if flags == "" {
			want = withoutInlined(want, now)
		}
		if now != want || strings.Contains(now, ".go:") {
			t.Errorf("without lines it says, with %q:\n%s\nand not:\n%s", flags, now, want)
		}
	}
}

var (
	place     = regexp.MustCompile(`(\S+\.(go|s)|\?)(:| )\d+`)
	arguments = regexp.MustCompile(`(?m)\([^()]*\)$`)
)

// lessTold takes places and arguments out of stack traces.
func lessTold(said string) string {
	return arguments.ReplaceAllString(place.ReplaceAllString(said, "?${3}0"), "()")
}

// withoutInlined takes lines with calls out of said that are missing in now: few, so most calls must be in both.
func withoutInlined(said, now string) string {
	rest := strings.Split(now, "\n")
	var kept []string
	missing := 0
	for _, line := range strings.Split(said, "\n") {
		switch {
		case len(rest) > 0 && line == rest[0]:
			kept, rest = append(kept, line), rest[1:]
		case strings.HasPrefix(line, "by ") || strings.HasSuffix(line, "()") || strings.HasPrefix(line, "\t?:0"):
			missing++
		default:
			kept = append(kept, line)
		}
	}
	if missing > 6 {
		return said
	}
	return strings.Join(kept, "\n")
}

// build builds the program in testdata, with flags for the compiler.
func build(t *testing.T, flags string) []byte {
	t.Helper()
	to := filepath.Join(t.TempDir(), "trace.wasm")
	c := exec.Command("go", "build", "-trimpath", "-gcflags=all="+flags, "-ldflags=-s -w", "-o", to, "./testdata/trace")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// play runs a program in Node until it panics, and returns its output.
func play(t *testing.T, program []byte) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "trace.wasm")
	if err := os.WriteFile(file, program, 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(node, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js"), file)
	c.Env = []string{"PATH=" + os.Getenv("PATH")}
	out, err := c.CombinedOutput()
	if c.ProcessState.ExitCode() != 2 {
		t.Fatalf("%v\n%s", err, out)
	}
	return regexp.MustCompile(`0x[0-9a-f]+`).ReplaceAllString(string(out), "0x") // addresses may differ
}

// TestDamaged checks that damaged input is refused or stays a program.
func TestDamaged(t *testing.T) {
	whole := build(t, "")
	for n := range 100 {
		if _, err := withoutLines(whole[:len(whole)/200*n], ""); err != errModule {
			t.Fatalf("of %d bytes: %v", len(whole)/200*n, err)
		}
	}
	other := bytes.Replace(whole, []byte(tableStart), []byte("\xf0"+tableStart[1:]), 1)
	if _, err := withoutLines(other, ""); err != errTable {
		t.Errorf("with another table: %v", err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	at := bytes.Index(whole, []byte(tableStart))
	for range 200 {
		damaged := bytes.Clone(whole)
		for range 1 + rnd.IntN(8) {
			place := at + rnd.IntN(200)
			if rnd.IntN(2) == 0 {
				place = at + rnd.IntN(len(damaged)-at)
			}
			damaged[place] = byte(rnd.Uint32())
		}
		withoutLines(damaged, "") // may fail but not panic
	}
}

// TestMemory checks that memory is the same after it is laid out again, wherever there are zeros.
func TestMemory(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		m := &module{before: []byte(preamble), after: []byte{0, 1, 'x'}}
		for range rnd.IntN(6) {
			m.memory = append(m.memory, make([]byte, rnd.IntN(3*gap))...)
			m.memory = append(m.memory, bytes.Repeat([]byte{1}, rnd.IntN(200))...)
		}
		got, err := readModule(m.program())
		if err != nil || !bytes.Equal(got.before, m.before) || !bytes.Equal(got.after, m.after) ||
			!bytes.Equal(bytes.TrimRight(got.memory, "\x00"), bytes.TrimRight(m.memory, "\x00")) {
			t.Fatalf("%v\nof %x:\n%+v", err, m.memory, got)
		}
	}
}
