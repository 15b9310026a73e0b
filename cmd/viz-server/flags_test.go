package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
)

// TestEveryParameterIsAFlag checks that each scenario parameter is a flag of run, with the table's help, and that its
// value reaches the run. The catalogue lists those with a default.
func TestEveryParameterIsAFlag(t *testing.T) {
	var cli commandLine
	parser, err := kong.New(&cli, flagTexts(), kong.Vars{"version": version()})
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]*kong.Flag{}
	for _, command := range parser.Model.Children {
		if command.Name == "run" {
			for _, f := range command.Flags {
				flags[f.Name] = f
			}
		}
	}
	given := map[string]string{
		"clients": "3", "rounds": "2", "hold": "5s", "seed": "7", "session-timeout": "6s", "latency": "2ms",
		"jitter": "1ms", "stagger": "0s", "servers": "3", "observers": "0",
		"database": "mysql", "store": "printer", "poll": "50ms-250ms", "first-number": "2147483647", "flaw": "serves-early",
		"fault":   "crash client-1 at 1s",
		"arrival": "client-1 at 1s for 2s",
	}
	for _, p := range run.Parameters()[1:] {
		f := flags[p.Name]
		if given[p.Name] == "" {
			t.Fatalf("this test gives no --%s", p.Name)
		}
		if f == nil || f.Help != p.Help() || f.PlaceHolder != p.Hint {
			t.Errorf("%s is the flag %+v", p.Name, f)
		}
		var cli commandLine
		parser, err := kong.New(&cli, flagTexts(), kong.Vars{"version": version()})
		if err != nil {
			t.Fatal(err)
		}
		on := "barrier"
		switch p.Name {
		case "database":
			on = "db-version"
		case "store":
			on = "etcd-mutex"
		case "arrival":
			on = "predecessor-lock"
		}
		r, _ := recipe.Find(on)
		listed := parameters(r)
		args := []string{"run", on, "--" + p.Name, given[p.Name]}
		if p.Name == "flaw" {
			args = append(args, "--servers", "3")
		}
		if _, err := parser.Parse(args); err != nil {
			t.Fatal(err)
		}
		s, err := cli.Run.scenario()
		if err != nil || s.Written(p.Name)[0] != given[p.Name] {
			t.Errorf("--%s %s: %+v, %v", p.Name, given[p.Name], s, err)
		}
		if i := slices.IndexFunc(listed, func(l parameter) bool { return l.Name == p.Name }); (i < 0) !=
			(p.Many || p.Name == "poll" || p.Name == "first-number") || i >= 0 &&
			listed[i].Text != p.Text {
			t.Errorf("%s is not listed: %+v", p.Name, listed)
		}
	}
}

// TestEveryHarmIsAFault checks that every harm of a recipe is a kind of fault with a text.
func TestEveryHarmIsAFault(t *testing.T) {
	for _, r := range recipes.All() {
		for _, name := range r.Harms {
			if _, ok := fault.ParseKind(name); !ok {
				t.Errorf("%s is harmed by %q, which is no fault", r.Name, name)
			}
		}
	}
	for harms, want := range map[string]string{
		"":                 "",
		"crash":            ", if nobody crashes",
		"crash pause drop": ", if nobody crashes, nobody is paused and no reply is lost",
	} {
		if got := harmText(strings.Fields(harms)); got != want {
			t.Errorf("harmed by %q: %q, want %q", harms, got, want)
		}
	}
}

// TestFaultsAreExplained checks that help lists the table's words for faults.
func TestFaultsAreExplained(t *testing.T) {
	help := flagTexts()["fault_help"]
	for _, k := range fault.Kinds() {
		explored := strings.Contains(flagTexts()["faults"], k.String())
		if !strings.Contains(help, k.String()) || explored != (k != fault.SetClock) {
			t.Errorf("%s is not in %q, or explored: %t", k, help, explored)
		}
	}
	for _, k := range fault.SystemKinds() {
		if !strings.Contains(help, k.String()) || !strings.Contains(flagTexts()["system_faults"], k.String()) {
			t.Errorf("%s is not in %q", k, help)
		}
	}
}
