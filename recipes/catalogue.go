// Package recipes holds the coordination recipes that zkviz shows: one file each, written as the
// algorithm is told, against zoo.Client or the client of another system alone, so that the same code runs on the
// simulator and on the real thing. It starts nothing by itself: a host runs a recipe's Main once for each client.
package recipes

import (
	"embed"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/recipes/pitfalls"
)

// init fills the catalogue: hosts and runs find recipes there, and import none.
func init() { recipe.Fill(All()) }

// Default is the recipe that is run where none is asked for.
const Default = "predecessor-lock"

// Compared are the recipes that a comparison begins with: three locks, each with fewer wakeups than the one before.
func Compared() []string { return []string{"unique-lock", "children-lock", Default} }

// Contest are the locks that are compared in one contest, of every system.
func Contest() []recipe.Recipe {
	return slices.DeleteFunc(All(), func(r recipe.Recipe) bool { return len(r.Contest) == 0 })
}

// Rivals are the locks of every system: those that a comparison begins with, and all that there is on other systems
// than ZooKeeper.
func Rivals() []recipe.Recipe {
	return slices.DeleteFunc(All(), func(r recipe.Recipe) bool {
		return event.HasZooKeeper(r.Systems) && !slices.Contains(Compared(), r.Name)
	})
}

// Group is recipes for one purpose. The language files say which, recipes.group.ID.
type Group struct {
	ID      string
	Recipes []recipe.Recipe
}

// Groups are all recipes but the pitfalls, in the order of teaching.
func Groups() []Group {
	return []Group{
		{"first", []recipe.Recipe{
			firstStepsRecipe,
		}},
		{"locks", []recipe.Recipe{
			uniqueLockRecipe,
			childrenLockRecipe,
			predecessorLockRecipe,
			reentrantLockRecipe,
			timedLockRecipe,
			readWriteLockRecipe,
			revocableLockRecipe,
			multiLockRecipe,
			semaphoreRecipe,
			fencedLockRecipe,
			strangersLockRecipe,
		}},
		{"elections", []recipe.Recipe{
			leaderElectionRecipe,
			leaderLatchRecipe,
		}},
		{"queues", []recipe.Recipe{
			fifoQueueRecipe,
			ackQueueRecipe,
			priorityQueueRecipe,
			delayQueueRecipe,
		}},
		{"barriers", []recipe.Recipe{
			barrierRecipe,
			doubleBarrierRecipe,
		}},
		{"sharing", []recipe.Recipe{
			groupMembershipRecipe,
			configurationRecipe,
			syncedReadRecipe,
			quorumReadRecipe,
			publishSubscribeRecipe,
			namingRecipe,
			sharedCounterRecipe,
		}},
		{"together", []recipe.Recipe{
			twoPhaseCommitRecipe,
			workAssignmentRecipe,
		}},
		{"other-locks", []recipe.Recipe{
			setNXPXRecipe,
			watchdogRecipe,
			signalListRecipe,
			fencedKeyRecipe,
			redlockRecipe,
			etcdMutexRecipe,
			serverLeaseRecipe,
			leaseRowRecipe,
			runOnceRecipe,
			decrementRecipe,
			versionRecipe,
			forUpdateRecipe,
			advisoryRecipe,
			skipLockedRecipe,
			rowByTaskRecipe,
			rowByIDRecipe,
		}},
	}
}

// All is the catalogue: the recipes in the order of teaching, then the pitfalls.
func All() []recipe.Recipe {
	var all []recipe.Recipe
	for _, g := range Groups() {
		all = append(all, g.Recipes...)
	}
	return append(all, pitfalls.All()...)
}

// Using are the recipes whose znodes are for a use, the one first that is to stand for it: the default where it is
// among them. Pitfalls come last.
func Using(use recipe.Use) (list []recipe.Recipe) {
	if use == "" {
		return nil
	}
	for _, r := range All() {
		switch {
		case r.Use != use:
		case r.Name == Default:
			list = slices.Insert(list, 0, r)
		default:
			list = append(list, r)
		}
	}
	return list
}

// Standing are the recipes that stand for what somebody else has made, by what that is: a use, or event.DrawName for
// a lock that is a single znode.
func Standing() map[string]string {
	all := map[string]string{}
	for _, r := range All() {
		if r.Use == "" {
			continue
		}
		all[string(r.Use)] = Using(r.Use)[0].Name
		if r.Use == recipe.ForLock && r.Drawing.Kind == event.DrawName && all[string(event.DrawName)] == "" {
			all[string(event.DrawName)] = r.Name
		}
	}
	return all
}

//go:embed *.go
var sources embed.FS

// Source is the text of a recipe's file, empty if there is none of that name.
func Source(file string) string {
	if name, ok := strings.CutPrefix(file, pitfalls.Dir); ok {
		return pitfalls.Source(name)
	}
	text, err := sources.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(text)
}
