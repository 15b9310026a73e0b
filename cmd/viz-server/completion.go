package main

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/zkviz/zkviz/recipes"
)

// completionCmd prints the script that completes commands, flags and recipes in a shell. It calls completeCmd.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

var (
	//go:embed completion/bash.sh
	completionBash string
	//go:embed completion/zsh.sh
	completionZsh string
	//go:embed completion/fish.sh
	completionFish string
)

func (c *completionCmd) Run(term *terminal) error {
	script := map[string]string{"bash": completionBash, "zsh": completionZsh, "fish": completionFish}[c.Shell]
	_, err := io.WriteString(term.out, script)
	return err
}

// completeCmd prints the completions of the last word, which may be empty. Words excludes the program's name.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:"all"`
}

func (c *completeCmd) Run(term *terminal, command *kong.Context) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	for _, word := range completions(command.Model.Node, words) {
		if _, err := fmt.Fprintln(term.out, word); err != nil {
			return err
		}
	}
	return nil
}

// completions returns the completions of the last word. There are none if any value is allowed, as for a file.
func completions(app *kong.Node, words []string) []string {
	if len(words) == 0 {
		return nil
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	node := app
	for _, word := range before {
		if i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == word }); i >= 0 {
			node = node.Children[i]
		}
	}
	var all []string
	switch flag := valueOf(node, before); {
	case flag != nil:
		all = choices(flag.Value)
	case strings.HasPrefix(last, "-"):
		for _, f := range flagsOf(node) {
			all = append(all, "--"+f.Name)
		}
	case node == app:
		all = commandsOf(app)
	case len(node.Positional) > 0 && node.Positional[0].Name == "command":
		all = commandsOf(app)
	case len(node.Positional) > 0:
		all = choices(node.Positional[0])
	}
	all = slices.DeleteFunc(all, func(word string) bool { return !strings.HasPrefix(word, last) })
	slices.Sort(all)
	return all
}

// valueOf returns the flag whose value the next word is, or nil.
func valueOf(node *kong.Node, before []string) *kong.Flag {
	if len(before) == 0 {
		return nil
	}
	for _, f := range flagsOf(node) {
		if "--"+f.Name == before[len(before)-1] && !f.IsBool() {
			return f
		}
	}
	return nil
}

// flagsOf returns a command's flags, or those of serve if no command is given.
func flagsOf(node *kong.Node) (all []*kong.Flag) {
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	return slices.Concat(node.AllFlags(true)...)
}

func commandsOf(app *kong.Node) (all []string) {
	for _, c := range app.Children {
		if !c.Hidden {
			all = append(all, c.Name)
		}
	}
	return all
}

// choices returns the values that an argument or a flag can take, if they are limited.
func choices(v *kong.Value) (all []string) {
	if v.Name == "recipe" {
		for _, r := range recipes.All() {
			all = append(all, r.Name)
		}
		return all
	}
	if v.Tag.Enum == "" {
		return nil
	}
	return v.EnumSlice()
}
