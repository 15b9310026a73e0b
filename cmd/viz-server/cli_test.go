package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/zkviz/zkviz/engine/testing/golden"
)

// TestGoldenCLI compares docs/cli.md with the real commands and flags.
func TestGoldenCLI(t *testing.T) {
	golden.Compare(t, "../../docs/cli.md", reference(newParser(t).Model.Node))
}

// reference returns a description of every command with its arguments, flags and examples.
func reference(app *kong.Node) string {
	var b strings.Builder
	b.WriteString("# The command line\n\n<!-- Written by make golden -->\n\n" +
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

// arguments returns the text after a command's name.
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
