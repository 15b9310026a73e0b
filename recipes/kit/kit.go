// Package kit is what recipes are made of: how one is described, and the few moves that many of them share.
//
// The recipes themselves are in the packages above it: recipes has the right ones, recipes/pitfalls the
// wrong ones. It sees what they see: systems.World.
package kit

import (
	"cmp"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/arrival"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// Kind tells the recipes to follow from those to learn from.
type Kind string

const (
	Right   Kind = "recipe"
	Pitfall Kind = "pitfall"
)

// Recipe is an entry of the catalogue. The language files say what it does, recipe.NAME, and what it costs in requests
// and wakeups, cost.NAME.
type Recipe struct {
	Name string // kebab-case, as on the command line
	Kind Kind
	Cure string // of a pitfall: the name of the recipe that does it right
	// OtherCures are further ones, in other ways.
	OtherCures []string
	File       string // its source, for Source
	// Promises are rules of engine/analysis/check that hold whatever happens to the clients. A pitfall lists the ones
	// that it breaks: they are what its cure promises.
	Promises []string
	// Limits are rules of engine/analysis/check that hold only while no session, or lease, ends without its client's
	// knowing.
	Limits  []string
	Harms   []string // the faults, by name, that break the Limits although no session ends unnoticed
	Sources []string // where it is described: documentation, articles, reports
	// FoundWithin is how many seeds exploration needs at most to see a pitfall break one of its Promises; 0
	// for a thousand.
	FoundWithin int
	// Seen is a run in which one can watch a pitfall break a promise, as the lab's address names it after the recipe.
	// It is empty if a lesson shows it.
	Seen string
	// Use is what its znodes are for, as engine/analysis/naming takes those that somebody else has made: what
	// was seen of such can be run as this recipe. Its clients come when and stay for as long as Params.Visits
	// says. It is empty where they don't.
	Use Use
	// MinClients is the fewest that it makes sense with.
	MinClients int
	// Servers is how many servers ZooKeeper has in its runs if nobody says: with fewer one does not see what it is about.
	// It is 0 for a server alone.
	Servers int
	// Systems are what its programs talk to. If it says nothing, that is a ZooKeeper.
	Systems []event.System
	// Contest says how it takes part in the contest of locks, once for each way in which its clients may poll: the zero
	// Poll if they do not. It is empty if it takes no part.
	Contest []Poll
	// Keeps are the names, below the root, of the persistent znodes that it means to leave behind, each with
	// all that is below it. A name that ends in a hyphen stands for all that begin with it.
	Keeps []string
	// Drawing says how its runs are drawn. The zero value leaves that to the scene.
	Drawing event.Drawing
	// Role is what client index (from 1) of clients does, empty where all do the same. It may be nil.
	Role func(index, clients int) string
	// After is which client's process has to be gone before client index (from 1) of clients starts, because
	// it is the same program, started again; 0 for none. It may be nil.
	After func(index, clients int) int
	// Parents are the znodes that must be there before any client starts.
	Parents func(root string) []string
	// Main is the program of one client.
	Main func(systems.World, Params) error
}

// Cures are the names of all recipes that do right what a pitfall does wrong.
func (r Recipe) Cures() []string {
	if r.Cure == "" {
		return nil
	}
	return append([]string{r.Cure}, r.OtherCures...)
}

// OnZooKeeper is the Main of a recipe that talks to ZooKeeper alone.
func OnZooKeeper(main func(zoo.Client, Params) error) func(systems.World, Params) error {
	return func(w systems.World, p Params) error { return main(w.ZooKeeper(), p) }
}

// Params is what Main is told.
type Params struct {
	Root    string // the znode to work under; elsewhere keys, tables and rows begin with it
	Index   int    // of this client, from 1
	Role    string // of this client, if the scenario says; see RoleOr
	Clients int
	Rounds  int           // how often to do it
	Lease   time.Duration // how long what it gets is its own if it does nothing: what a session's timeout is elsewhere
	Hold    time.Duration // how long to stay inside, or program.UntilSettled
	Poll    Poll          // how those who are refused try again; see Polling
	// Visits are when each round begins, at the earliest, and how long Hold is in it; none if nobody says.
	Visits []arrival.Visit

	Database sql.Dialect // how the database is spoken to
}

// RoleOr is the client's role in the recipe: what the scenario says, or else the usual one.
func (p Params) RoleOr(usual func(index, clients int) string) string {
	return cmp.Or(p.Role, usual(p.Index, p.Clients))
}

// Use is what znodes are for.
type Use = naming.Use

// What the znodes of recipes are for: see Recipe.Use.
const (
	ForLock      = naming.Lock
	ForReadWrite = naming.ReadWrite
	ForElection  = naming.Election
	ForSemaphore = naming.Semaphore
	ForQueue     = naming.Queue
)

// Once is the Contest of a lock whose clients do not poll.
func Once() []Poll { return []Poll{{}} }

// JustRoot is the Parents of a recipe that needs its root alone.
func JustRoot(root string) []string { return []string{root} }
