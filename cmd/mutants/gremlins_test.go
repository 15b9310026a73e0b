package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMain also acts as the program that go test -exec starts, like main.
func TestMain(m *testing.M) {
	if os.Getenv(sourceEnv) != "" {
		os.Exit(helper())
	}
	os.Exit(m.Run())
}

// module is a small module. Its tests notice some changes, miss one, and don't reach another. Package q has none.
var module = map[string]string{
	"go.mod": "module example.org/m\n\ngo 1.26\n",
	"p/p.go": `package p

func Less(a, b int) bool { return a < b }

func Max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func Next(a int) int { return a + 1 }
`,
	"p/q/q.go": `package q

func Twice(a int) int { return a + a }

func Half(a int) int { return a / 2 }
`,
	"p/p_test.go": `package p

import (
	"testing"

	"example.org/m/p/q"
)

func TestTwice(t *testing.T) {
	if q.Twice(3) != 6 {
		t.Error("3 and 3 is 6")
	}
}

func TestLess(t *testing.T) {
	if !Less(1, 2) || Less(2, 1) {
		t.Error("1 is less than 2")
	}
}

func TestMax(t *testing.T) {
	if Max(1, 2) != 2 || Max(2, 1) != 2 {
		t.Error("2 is more than 1")
	}
}
`,
	known: "p/p.go Max CONDITIONALS_BOUNDARY\n\tif a ¦> b {\n\tOf two that are equal either will do.\n",
}

// TestGremlins covers all of make mutants, which takes hours for this module's packages.
func TestGremlins(t *testing.T) {
	if testing.Short() {
		t.Skip("builds gremlins, and a program for each change")
	}
	tool := []string{".ci/gremlins.mod", ".ci/gremlins.sum"}
	if out, err := exec.Command("go", "mod", "download", "-modfile=../../"+tool[0]).CombinedOutput(); err != nil {
		t.Skipf("gremlins cannot be downloaded: %v\n%s", err, out)
	}
	files := maps.Clone(module)
	for _, name := range tool {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	met, err := run([]string{"./p", "./p/q"})
	if err != nil || met { // two of three covered ones are killed, and the target is nine of ten
		t.Errorf("the targets are met: %t, %v", met, err)
	}
	const want = `# line 3: lived
p/p.go Less CONDITIONALS_BOUNDARY
	func Less(a, b int) bool { return a ¦< b }

# line 12: not covered
p/p.go Next ARITHMETIC_BASE
	func Next(a int) int { return a ¦+ 1 }

`
	const wantBelow = `# line 5: not covered
p/q/q.go Half ARITHMETIC_BASE
	func Half(a int) int { return a ¦/ 2 }

`
	for pkg, want := range map[string]string{"p": want, "p/q": wantBelow} {
		if got, err := os.ReadFile(report{pkg: pkg}.file()); err != nil || string(got) != want {
			t.Errorf("%v, left are\n%s\nwant\n%s", err, got, want)
		}
	}
}
