package oracle

// Kind is a kind of thing, with its recipes.
type Kind struct {
	Name    string
	Recipes []string // recipes that can share a thing: a library's letter and the recipe's name
	Room    int      // how many may be inside at the same time; 0 means any number
	At      []string // the paths to ask zkviz about, below the one that programs name; none means that one itself
	// Together is how many clients must come before one gets in; all come at about the same time.
	Together int
	Traits
}

// Traits names the recipes with unusual behaviour.
type Traits struct {
	Alone    []string // their clients share it with nobody
	Doubtful []string // zkviz may not know that their clients are inside
	Unwoken  []string // their clients may come first without ever being told
	Hasty    []string // they report having left before they have
	// Their clients may come first without knowing, and then trade that for another place: after a reconnect, or
	// because the item that they locked is gone.
	Fickle []string
}

// Kinds lists all things that the programs can use.
//
// A Curator mutex counts the names with "lock-", which includes go-zookeeper's. One written after ZooKeeper's recipes
// page counts all names. A kazoo lock also counts "-lock-" if told to, and a go-zookeeper lock also counts "__".
var Kinds = []Kind{
	{Name: "mutex", Recipes: []string{"j mutex", "g lock"}, Room: 1},
	{Name: "any-mutex", Recipes: []string{"j mutex", "g lock", "k ahead", "k first"}, Room: 1},
	{Name: "multi", Recipes: []string{"j multi"}, Room: 1, At: []string{"", "-too"}},
	{Name: "semaphore-mutex", Recipes: []string{"j semaphoremutex"}, Room: 1},
	{Name: "semaphore", Recipes: []string{"j semaphore"}, Room: 2},
	{Name: "read-write", Recipes: []string{"j read", "j write"}, Traits: Traits{Alone: []string{"write"}}},
	{Name: "latch", Recipes: []string{"j latch"}, Room: 1,
		Traits: Traits{Hasty: []string{"latch"}, Fickle: []string{"latch"}}},
	{Name: "selector", Recipes: []string{"j selector"}, Room: 1, Traits: Traits{Hasty: []string{"selector"}}},
	{Name: "double-barrier", Recipes: []string{"j doublebarrier"}, Room: 3, Together: 3},
	{Name: "write-lock", Recipes: []string{"j writelock"}, Room: 1},
	// A client that asks just as another leaves may never hear that it leads.
	{Name: "election", Recipes: []string{"j election"}, Room: 1, Traits: Traits{Unwoken: []string{"election"}}},

	{Name: "kazoo-lock", Recipes: []string{"k lock"}, Room: 1},
	{Name: "kazoo-mixed", Recipes: []string{"k mixed", "g lock"}, Room: 1},
	// A reader may wait for a writer behind it, which waits for the reader.
	{Name: "kazoo-read-write", Recipes: []string{"k read", "k write"}, Traits: Traits{Alone: []string{"write"},
		Doubtful: []string{"read"}, Unwoken: []string{"read"}}},
	{Name: "kazoo-semaphore", Recipes: []string{"k semaphore"}, Room: 2},
	{Name: "kazoo-election", Recipes: []string{"k election"}, Room: 1},
	// The first to leave deletes the znode that lets them go on: from then on nobody can tell about the others.
	{Name: "kazoo-double-barrier", Recipes: []string{"k doublebarrier"}, Room: 3, Together: 3,
		Traits: Traits{Doubtful: []string{"doublebarrier"}}},
	{Name: "kazoo-party", Recipes: []string{"k party"}},
	// A client that locks an item that another has taken meanwhile looks for the next one.
	{Name: "kazoo-locking-queue", Recipes: []string{"k lockingqueue"}, At: []string{"/taken"},
		Traits: Traits{Fickle: []string{"lockingqueue"}}},

	{Name: "page-lock", Recipes: []string{"k ahead", "k first", "k ahead", "k blind"}, Room: 1,
		Traits: Traits{Unwoken: []string{"blind"}}},
	{Name: "page-children", Recipes: []string{"k children"}, Room: 1},
	{Name: "page-read-write", Recipes: []string{"k page-read", "k page-write"},
		Traits: Traits{Alone: []string{"page-write"}}},

	{Name: "gozk-lock", Recipes: []string{"g lock"}, Room: 1},
}

// asked returns the suffixes of the paths to ask zkviz about.
func (k Kind) asked() []string {
	if len(k.At) == 0 {
		return []string{""}
	}
	return k.At
}
