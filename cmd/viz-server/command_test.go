package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/recipes"
)

// shellWords splits a command line as a shell does, and drops the program's name.
func shellWords(t *testing.T, command string) []string {
	t.Helper()
	out, err := exec.Command("sh", "-c", `printf '%s\0' `+command).Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if words[0] != "viz-server" {
		t.Fatalf("%s does not begin with the program", command)
	}
	return words[1:]
}

// TestCommandIsTheScenario checks that a printed command reproduces its run: parse(write(s)) = s.
func TestCommandIsTheScenario(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		s := randomScenario(chance)
		var cli commandLine
		parser, err := kong.New(&cli, flagTexts(), kong.Vars{"version": version()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(shellWords(t, s.Command())); err != nil {
			t.Fatalf("%s: %v", s.Command(), err)
		}
		if got, err := cli.Run.scenario(); err != nil || !reflect.DeepEqual(got, s) {
			t.Fatalf("%s: got %+v, %v, want %+v", s.Command(), got, err, s)
		}
	}
}

// randomScenario sets each field to its default or to something else.
func randomScenario(chance *rand.Rand) run.Scenario {
	all := recipes.All()
	r := all[chance.IntN(len(all))]
	s := run.Scenario{Recipe: r.Name, Seed: 1}
	sometimes := func(set func()) {
		if chance.IntN(2) == 0 {
			set()
		}
	}
	for range chance.IntN(3) {
		kind := fault.Kinds()[chance.IntN(len(fault.Kinds()))]
		f := fault.Fault{Kind: kind, At: time.Duration(chance.Int64N(int64(time.Minute)))}
		if kind.Target() == fault.ToClient {
			f.Client = 1
		}
		if kind.Lasts() {
			f.For = 1 + time.Duration(chance.Int64N(int64(time.Minute)))
		}
		if event.HasZooKeeper(r.Systems) || slices.Contains(fault.SystemKinds(), kind) {
			s.Faults = append(s.Faults, f)
		}
	}
	sometimes(func() { s.Clients = max(r.MinClients, 1) + chance.IntN(5) })
	sometimes(func() { s.Rounds = 1 + chance.IntN(3) })
	sometimes(func() { s.Seed = chance.Uint64() >> chance.IntN(64) })
	sometimes(func() { s.Hold = []time.Duration{program.UntilSettled, 1, time.Second, s.Usual().Hold}[chance.IntN(4)] })
	sometimes(func() { s.SessionTimeout = time.Duration(1+chance.IntN(40)) * time.Second })
	sometimes(func() { s.Latency = time.Millisecond + time.Duration(chance.IntN(1e9)) })
	sometimes(func() { s.Jitter = time.Duration(1 + chance.IntN(1e6)) })
	sometimes(func() { s.Stagger = []time.Duration{-1, 1, time.Second}[chance.IntN(3)] })
	sometimes(func() { s.Poll = []recipe.Poll{recipe.Steady(), recipe.Leisurely()}[chance.IntN(2)] })
	return s.WithDefaults()
}

// TestReproductionsReplay checks that the commands and files from explore break the same rule in the same way, with
// exactly the flags they name.
func TestReproductionsReplay(t *testing.T) {
	t.Parallel()
	for _, r := range recipes.All() {
		if r.Kind != recipe.Pitfall {
			continue
		}
		result, err := explore.Run(t.Context(), explore.Config{Recipe: r})
		if err != nil || result.Found == nil {
			t.Fatalf("%s: found %+v, %v", r.Name, result.Found, err)
		}
		p := reproduce(result.Found)
		saved := filepath.Join(t.TempDir(), "found.json")
		c := exploreCmd{Scenario: saved}
		if err := c.save(explorationResult{Reproduction: p}); err != nil {
			t.Fatal(err)
		}
		want := run.Violation{Rule: result.Found.Violation.Rule, AtMS: p.AtMS, Text: p.Text}
		for _, args := range [][]string{shellWords(t, p.Command), {"run", "--scenario", saved}} {
			replays(t, args, want)
		}
	}
}

func replays(t *testing.T, args []string, want run.Violation) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := execute(append(args, "--json"), &terminal{ctx: context.Background(), out: &out,
		err: &errs}); code != exitVerdict {
		t.Errorf("%q: exit code %d: %s", args, code, errs.String())
		return
	}
	var got run.Summary
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, v := range got.Violations {
		if v.Rule == want.Rule {
			if v.Text != want.Text {
				t.Errorf("%q: %s, not %s", args, v.Text, want.Text)
			}
			return
		}
	}
	t.Errorf("%q does not break %s: %+v", args, want.Rule, got.Violations)
}

// TestLinkShowsThemInside checks that the event in a link shows the clients that must not be inside together.
func TestLinkShowsThemInside(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"no-second-look", "watch-the-lowest", "order-by-time", "text-order"} {
		r, _ := recipe.Find(name)
		result, err := explore.Run(t.Context(), explore.Config{Recipe: r})
		if err != nil || result.Found == nil {
			t.Fatalf("%s: found %+v, %v", name, result.Found, err)
		}
		link, err := url.Parse(result.Found.Link())
		if err != nil {
			t.Fatal(err)
		}
		last, err := strconv.Atoi(link.Query().Get("event"))
		if err != nil {
			t.Fatalf("%s: %v", link, err)
		}
		var log event.Log
		if err := run.Sim(t.Context(), result.Found.Scenario, &log); err != nil {
			t.Fatal(err)
		}
		state := view.NewFor(result.Found.Scenario.Header("sim"))
		for _, e := range log.Events[:last] {
			state.Apply(e)
		}
		for _, a := range result.Found.Violation.Clients {
			if !state.Clients.Get(a).Inside {
				t.Errorf("%s: %s is not inside", link, a)
			}
		}
	}
}

// TestExploreNamesLists checks that JSON has empty lists, not null.
func TestExploreNamesLists(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"no-second-look", "fifo-queue", "first-steps"} {
		var out, errs bytes.Buffer
		execute([]string{"explore", name, "--seeds", "10", "--faults", "none", "--json"},
			&terminal{ctx: context.Background(), out: &out, err: &errs})
		if out.Len() == 0 || strings.Contains(out.String(), "null") {
			t.Errorf("%s: %s%s", name, out.String(), errs.String())
		}
	}
}
