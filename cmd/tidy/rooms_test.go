package tidy_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rooms maps each room, a folder below engine, to those that its packages may import.
var rooms = map[string][]string{
	"base":      {},
	"event":     {"base"},
	"zookeeper": {"base", "event"},
	"analysis":  {"base", "event"},
	"stores":    {"base", "event"},
	"observe":   {"base", "event", "zookeeper", "analysis"},
	"recipe":    {"event", "analysis", "stores"},
	"host":      {"base", "event", "zookeeper", "stores", "observe", "recipe"},
	"run":       {"base", "event", "zookeeper", "stores", "analysis", "observe", "recipe", "host"},
	"stage":     {"base", "event", "analysis", "run"},
	"testing":   {"base", "event", "zookeeper", "stores", "observe"},
}

// floors lists the rooms from the lowest to the highest. None imports upward, or beside it.
var floors = [][]string{
	{"base"}, {"event"}, {"zookeeper", "stores", "analysis"}, {"observe", "recipe"}, {"host"}, {"run"}, {"stage"},
}

// forTests are the packages outside engine/testing that import it for more than their tests.
var forTests = []string{"cmd/conform", "cmd/testbed"}

// contents lists the folders outside engine that rooms may import.
var contents = map[string][]string{
	"stage": {"static/strings/words"},
}

// TestPages checks that the packages of pages import neither each other nor the server that they are part of.
func TestPages(t *testing.T) {
	const web = "cmd/viz-server/internal/web"
	found := importsOfTree(t, func(file string) bool { return !strings.HasSuffix(file, "_test.go") })
	parts := []string{web + "/lessons", web + "/lab", web + "/cluster", web + "/zoo", web + "/tapped", web + "/classes"}
	for _, pkg := range append([]string{web + "/site", web + "/body"}, parts...) {
		if found[pkg] == nil {
			t.Errorf("there is no %s", pkg)
		}
		for _, imp := range found[pkg] {
			if imp == web || slices.Contains(parts, imp) {
				t.Errorf("%s imports %s", pkg, imp)
			}
		}
	}
}

// roomOf returns the room of a package's folder, or "" outside the engine.
func roomOf(folder string) string {
	rest, ok := strings.CutPrefix(folder, "engine/")
	if !ok {
		return ""
	}
	room, _, _ := strings.Cut(rest, "/")
	return room
}

// TestRooms checks that each package of the engine is in a room, that each room says what belongs there, and that
// packages import only what their room allows, apart from tests.
func TestRooms(t *testing.T) {
	found := importsOfTree(t, func(file string) bool { return !strings.HasSuffix(file, "_test.go") })
	used := map[string]bool{}
	for _, pkg := range slices.Sorted(maps.Keys(found)) {
		room := roomOf(pkg)
		isTesting := func(imp string) bool { return roomOf(imp) == "testing" }
		if room != "testing" && !slices.Contains(forTests, pkg) && slices.ContainsFunc(found[pkg], isTesting) {
			t.Errorf("%s imports engine/testing, which is for tests", pkg)
		}
		if room == "" {
			continue
		}
		may, ok := rooms[room]
		if !ok {
			t.Errorf("%s stands in no room", pkg)
			continue
		}
		for _, imp := range found[pkg] {
			other := roomOf(imp)
			switch {
			case other == room, strings.Contains(strings.Split(imp, "/")[0], "."): // an external module
			case other != "" && slices.Contains(may, other):
				used[room+" "+other] = true
			case slices.Contains(contents[room], imp):
				used[room+" "+imp] = true
			default:
				t.Errorf("%s imports %s, which is not below the room %s", pkg, imp, room)
			}
		}
	}
	below := []string{}
	for _, floor := range floors {
		for _, room := range floor {
			for _, imp := range rooms[room] {
				if !slices.Contains(below, imp) {
					t.Errorf("%s may import %s, which is on no floor below it", room, imp)
				}
			}
		}
		below = append(below, floor...)
	}
	for room := range rooms {
		if room != "testing" && !slices.Contains(below, room) {
			t.Errorf("%s is on no floor", room)
		}
		for _, below := range append(slices.Clone(rooms[room]), contents[room]...) {
			if !used[room+" "+below] {
				t.Errorf("%s may import %s, and doesn't", room, below)
			}
		}
		text, err := os.ReadFile(filepath.Join(top, "engine", room, "doc.go"))
		if err != nil || !strings.HasPrefix(string(text), "// Package "+room+" ") {
			t.Errorf("engine/%s/doc.go doesn't say what belongs there: %v", room, err)
		}
	}
}

// TestTheStageHasNoJudge checks that the page's program links neither what judges logs nor what reads and forks them:
// rooms of runs do that, in the server or in the page's worker.
func TestTheStageHasNoJudge(t *testing.T) {
	linksNone(t, "wasm", "engine/run/judge", "engine/analysis/check", "engine/analysis/fork", "engine/event/trace")
}

// TestThePageDrawsNoPNG checks that no program of the page links what draws PNGs, with half a megabyte of fonts: a page
// has a canvas.
func TestThePageDrawsNoPNG(t *testing.T) {
	linksNone(t, "wasm", "engine/stage/raster")
	linksNone(t, "wasm/engine", "engine/stage/raster")
	linksNone(t, "wasm/story", "engine/stage/raster")
}

// linksNone checks that a program links none of some packages, which exist.
func linksNone(t *testing.T, program string, none ...string) {
	t.Helper()
	found := importsOfTree(t, func(file string) bool { return !strings.HasSuffix(file, "_test.go") })
	linked := map[string]string{program: ""} // and why
	for todo := []string{program}; len(todo) > 0; todo = todo[1:] {
		for _, imp := range found[todo[0]] {
			if _, known := linked[imp]; !known {
				linked[imp] = todo[0]
				todo = append(todo, imp)
			}
		}
	}
	for _, pkg := range none {
		if found[pkg] == nil {
			t.Errorf("there is no %s", pkg)
		}
		if by, ok := linked[pkg]; ok {
			t.Errorf("the program %s links %s, which %s imports", program, pkg, by)
		}
	}
}
