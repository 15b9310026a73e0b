package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/promtest"
)

// alertsDir is the folder of what operators give to Prometheus and Grafana.
const alertsDir = "../../docs/alerts"

// TestRules checks the rules for Prometheus by its own tool, and runs their tests.
func TestRules(t *testing.T) {
	promtest.Tool(t, alertsDir, "check", "rules", "zkviz.rules.yml")
	promtest.Tool(t, alertsDir, "test", "rules", "zkviz.rules.test.yml")
}

// dashboard is the part of Grafana's format that the test reads.
type dashboard struct {
	Title      string
	Templating struct {
		List []struct{ Name, Query string }
	}
	Panels []struct {
		ID      int
		Title   string
		GridPos struct{ X, Y, W, H int }
		Targets []struct{ RefID, Expr string }
	}
}

// grafanas are variables that Grafana sets.
var grafanas = []string{"__rate_interval", "__interval", "__range"}

// TestDashboard checks that the dashboard's panels have places of their own, that its variables exist, and that
// Prometheus understands its expressions.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(alertsDir, "zkviz.dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(text, &d); err != nil || len(d.Panels) < 5 {
		t.Fatalf("%v: %+v", err, d)
	}
	known := slices.Clone(grafanas)
	for _, v := range d.Templating.List {
		known = append(known, v.Name)
	}
	variable := regexp.MustCompile(`\$\{?(\w+)\}?`)
	rules, n := "groups:\n- name: dashboard\n  rules:\n", 0
	seen := map[int]bool{}
	for i, p := range d.Panels {
		if at := p.GridPos; seen[p.ID] || p.Title == "" || len(p.Targets) == 0 || at.X+at.W > 24 || at.W*at.H == 0 {
			t.Errorf("the panel %+v is wrong", p)
		}
		seen[p.ID] = true
		for _, other := range d.Panels[:i] {
			a, b := p.GridPos, other.GridPos
			if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("%q covers %q", p.Title, other.Title)
			}
		}
		for _, target := range p.Targets {
			n++
			rules += fmt.Sprintf("  - {record: 'panel:%d', expr: '%s'}\n", n, variable.ReplaceAllString(target.Expr, "5m"))
		}
	}
	for _, found := range variable.FindAllStringSubmatch(string(text), -1) {
		if !slices.Contains(known, found[1]) && found[1] != "__all" {
			t.Errorf("nothing sets $%s", found[1])
		}
	}
	promtest.Need(t)
	file := fileOf(t, "dashboard.yml", strings.ReplaceAll(rules, "\t", " "))
	promtest.Tool(t, filepath.Dir(file), "check", "rules", filepath.Base(file))
}
