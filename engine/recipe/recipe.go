package recipe

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// Kind separates the recipes to follow from those to learn from.
type Kind string

const (
	Right   Kind = "recipe"
	Pitfall Kind = "pitfall"
)

// Recipe is an entry of the catalogue. In the language files, recipe.NAME says what it does, and cost.NAME what it
// costs in requests and wakeups.
type Recipe struct {
	Name string // kebab-case, as on the command line
	Kind Kind
	Cure string // a pitfall's: the name of the recipe that does it right
	// OtherCures lists further ones, which do it in other ways.
	OtherCures []string
	File       string // its source, for Source
	// Promises lists the rules of engine/analysis/promise that hold whatever happens to the clients. For a pitfall it
	// lists the rules that the pitfall breaks and its cure promises.
	Promises []string
	// Limits lists the rules of engine/analysis/promise that hold only while no session or lease ends without its
	// client's knowledge.
	Limits  []string
	Harms   []string // the faults, by name, that break the Limits although no session ends unnoticed
	Sources []string // descriptions of it: documentation, articles, reports
	// FoundWithin limits the seeds that exploration needs to see a pitfall break one of its Promises; 0 means a
	// thousand.
	FoundWithin int
	// Seen is a run that shows a pitfall breaking a promise, as the lab's address names it after the recipe. It is
	// empty if a lesson shows it.
	Seen string
	// Use is the purpose of its znodes. engine/analysis/naming finds the same purposes for znodes that others made:
	// what was seen of those can be run as this recipe. Its clients come and stay as Params.Visits says. It is empty if
	// they don't.
	Use Use
	// MinClients is the least number of clients for which it makes sense.
	MinClients int
	// Servers is the default number of ZooKeeper servers in its runs: with fewer, a run doesn't show what the recipe is
	// about. It is 0 for a single server.
	Servers int
	// Systems lists what its programs talk to, by default one ZooKeeper.
	Systems []event.System
	// Contest lists the ways to poll with which it takes part in the contest of locks: only the zero Poll if its
	// clients don't poll. It is empty if it takes no part.
	Contest []Poll
	// Keeps lists, by name below the root, the persistent znodes that it leaves behind on purpose, each with all that
	// is below it. A name that ends in a hyphen stands for all that begin with it.
	Keeps []string
	// Drawing says how to draw its runs. The zero value leaves that to the scene.
	Drawing event.Drawing
	// OtherStores lists those that a scenario may have its clients write to instead of the one in Drawing.
	OtherStores []event.StoreDrawing
	// Role returns the role of client index (from 1) of clients, empty if all have the same. It may be nil.
	Role func(index, clients int) string
	// Clocks is set if its clients start at the same time of day, each by its own clock: one that starts later has a
	// clock that is behind by that much, which is its role.
	Clocks bool
	// After returns the client whose process must be gone before client index (from 1) of clients starts, because it is
	// the same program, started again; 0 for none. It may be nil.
	After func(index, clients int) int
	// Parents returns the znodes that must exist before any client starts.
	Parents func(root string) []string
	// Main is the program of one client.
	Main func(systems.World, Params) error
}

// Cures returns the names of all recipes that do right what a pitfall does wrong.
func (r Recipe) Cures() []string {
	if r.Cure == "" {
		return nil
	}
	return append([]string{r.Cure}, r.OtherCures...)
}

// OnZooKeeper returns the Main of a recipe that only talks to ZooKeeper.
func OnZooKeeper(main func(zoo.Client, Params) error) func(systems.World, Params) error {
	return func(w systems.World, p Params) error { return main(w.ZooKeeper(), p) }
}

// Use is the purpose of znodes.
type Use = naming.Use

// Purposes of recipes' znodes: see Recipe.Use.
const (
	ForLock      = naming.Lock
	ForReadWrite = naming.ReadWrite
	ForElection  = naming.Election
	ForSemaphore = naming.Semaphore
	ForQueue     = naming.Queue
)

// Once returns the Contest of a lock whose clients don't poll.
func Once() []Poll { return []Poll{{}} }

// JustRoot returns the Parents of a recipe that only needs its root.
func JustRoot(root string) []string { return []string{root} }

// Patience limits how long a recipe waits for someone who may never come, where waiting forever would help
// nobody.
const Patience = 10 * time.Second
