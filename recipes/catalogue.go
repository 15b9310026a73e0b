// Package recipes holds the coordination recipes that zkviz shows: one file each, written as the
// algorithm is told, against zoo.Client alone, so that the same code runs on the simulator and on a live
// ZooKeeper. It starts nothing by itself: a host runs a recipe's Main once for each client.
package recipes

import (
	"embed"
	"time"

	"github.com/zkviz/zkviz/engine/zoo"
)

// Recipe is an entry of the catalogue.
type Recipe struct {
	Name     string   // kebab-case, as on the command line
	Summary  string   // one sentence
	File     string   // its source, for Source
	Promises []string // rules of engine/check that hold however long clients pause
	// Limits are rules of engine/check that hold only while no client pauses for longer than its session.
	Limits     []string
	MinClients int
	// Role is what client index (from 1) of clients does, empty where all do the same. It may be nil.
	Role func(index, clients int) string
	// Parents are the znodes that must be there before any client starts.
	Parents func(root string) []string
	// Main is the program of one client.
	Main func(zoo.Client, Params) error
}

// Params is what Main is told.
type Params struct {
	Root    string // the znode to work under
	Index   int    // of this client, from 1
	Clients int
	Rounds  int           // how often to do it
	Hold    time.Duration // how long to stay inside, or zoo.UntilSettled
}

// All is the catalogue, in the order of teaching.
func All() []Recipe {
	return []Recipe{firstStepsRecipe(), uniqueLockRecipe(), childrenLockRecipe(), predecessorLockRecipe(), fifoQueueRecipe(), barrierRecipe()}
}

// Find is the recipe of that name.
func Find(name string) (Recipe, bool) {
	for _, r := range All() {
		if r.Name == name {
			return r, true
		}
	}
	return Recipe{}, false
}

//go:embed *.go
var sources embed.FS

// Source is the text of a recipe's file, empty if there is none of that name.
func Source(file string) string {
	text, err := sources.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(text)
}

// The rules of engine/check that recipes promise.
const (
	truthExclusion  = "truth-exclusion"
	beliefExclusion = "belief-exclusion"
	inOrder         = "order"
	once            = "once"
	opensForAll     = "barrier"
)

func justRoot(root string) []string { return []string{root} }
