package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// TestMain also acts as the program that go test -exec starts, like main.
func TestMain(m *testing.M) {
	if tests := os.Getenv(testsEnv); tests != "" {
		fail(underTest(tests, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// module is a small module whose tests ask for -short in many ways, or don't.
var module = map[string]string{
	"go.mod": "module example.org/m\n\ngo 1.26\n",
	"help/help.go": `package help

import "testing"

type Small[T any] struct{}

func (Small[T]) Size() int {
	if testing.Short() {
		return 1
	}
	return 2
}

func (Small[T]) Other() int { return 3 }

type Sizer interface{ Size() int }

func Skip(t *testing.T) {
	if size() == 1 {
		t.Skip("short")
	}
}

func size() int { return Small[int]{}.Size() }
`,
	"p/p.go": "package p\n\nfunc F() int { return 1 }\n",
	"p/in_test.go": `package p

import "testing"

var G = F

var small = func() bool { return testing.Short() }

func TestVariable(t *testing.T) { _ = small() }

func TestInside(t *testing.T) { small := F(); _ = small }
`,
	"p/p_test.go": `package p_test

import (
	"testing"

	"example.org/m/help"
	"example.org/m/p"
)

func TestDirect(t *testing.T)    { _ = testing.Short() }
func TestHelper(t *testing.T)    { help.Skip(t) }
func TestSubtest(t *testing.T)   { t.Run("sub", help.Skip) }
func TestInterface(t *testing.T) { var s help.Sizer = help.Small[string]{}; _ = s.Size() }
func TestMethod(t *testing.T)    { _ = help.Small[p.T]{}.Size() }
func TestOther(t *testing.T)     { _ = help.Small[int]{}.Other() }
func TestNone(t *testing.T)      { _ = p.G() }
func BenchmarkLong(b *testing.B) { _ = testing.Short() }
`,
	"p/export_test.go": "package p\n\ntype T int\n",
	"all/all_test.go": `package all

import (
	"flag"
	"testing"

	"example.org/m/help"
)

func TestMain(m *testing.M)      { flag.Parse(); _ = help.Small[int]{}.Size(); m.Run() }
func TestOfPackage(t *testing.T) {}
`,
	"none/none_test.go": "package none\n\nimport \"testing\"\n\nfunc TestDirect(t *testing.T) {}\n",
	"without/in_test.go": `package without

import "testing"

func TestWithout(t *testing.T) { _ = testing.Short() }
`,
}

var ran = regexp.MustCompile(`(?m)^=== RUN   (\w+)$`)

func TestLongTestsRun(t *testing.T) {
	top := t.TempDir()
	for name, text := range module {
		name = filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(top)
	cmd, err := command([]string{"./p", "./none"}, []string{"./without"}, []string{"go", "test", "-v"})
	if err != nil {
		t.Fatal(err)
	}
	got := output(t, cmd)
	want := []string{"TestDirect", "TestHelper", "TestInterface", "TestMethod", "TestOfPackage", "TestSubtest",
		"TestVariable"}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%v ran, want %v", got, want)
	}
}

// output runs a command and returns the tests that ran.
func output(t *testing.T, cmd *exec.Cmd) (tests []string) {
	t.Helper()
	cmd.Stdout, cmd.Stderr = nil, nil
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, text)
	}
	for _, m := range ran.FindAllSubmatch(text, -1) {
		tests = append(tests, string(m[1]))
	}
	return tests
}
