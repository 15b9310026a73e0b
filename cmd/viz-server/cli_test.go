package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

var update = flag.Bool("update", false, "rewrite docs/cli.md")

// TestCLIReference compares docs/cli.md with the commands and flags that there are.
func TestCLIReference(t *testing.T) {
	const file = "../../docs/cli.md"
	want := reference(newParser(t).Model.Node)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/cli.md is out of date from %s on; rewrite it:\n\tgo test ./cmd/viz-server -run %s -update",
			firstDifference(string(got), want), t.Name())
	}
}

// firstDifference returns the first line of want that got lacks at its place.
func firstDifference(got, want string) string {
	lines := strings.Split(got, "\n")
	for i, line := range strings.Split(want, "\n") {
		if i >= len(lines) || lines[i] != line {
			return fmt.Sprintf("line %d, %q,", i+1, line)
		}
	}
	return "its end"
}

// reference writes every command with its arguments, flags and examples.
func reference(app *kong.Node) string {
	var b strings.Builder
	b.WriteString("# The command line\n\n<!-- Written by go test ./cmd/viz-server -run TestCLIReference -update -->\n\n" +
		app.Help + "\n\nThe same text comes from `viz-server help COMMAND`. Flags of every command:\n\n")
	writeFlags(&b, app)
	for _, c := range app.Children {
		if c.Hidden {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n    viz-server %[1]s%[3]s\n\n", c.Name, c.Help, arguments(c))
		for _, arg := range c.Positional {
			fmt.Fprintf(&b, "- `%s`: %s\n", arg.Summary(), arg.Help)
		}
		writeFlags(&b, c)
		if len(c.Flags)+len(c.Positional) > 0 {
			b.WriteString("\n")
		}
		if c.Detail != "" {
			b.WriteString(c.Detail + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// arguments returns what follows the name of a command.
func arguments(c *kong.Node) (text string) {
	for _, arg := range c.Positional {
		text += " " + arg.Summary()
	}
	if len(c.Flags) > 0 {
		text += " [flags]"
	}
	return text
}

func writeFlags(b *strings.Builder, of *kong.Node) {
	for _, f := range of.Flags {
		if f.Hidden {
			continue
		}
		name := "--" + f.Name
		if f.Short != 0 {
			name = "-" + string(f.Short) + ", " + name
		}
		if !f.IsBool() {
			name += " " + f.FormatPlaceHolder()
		}
		fmt.Fprintf(b, "- `%s`: %s\n", name, f.Help)
	}
}
