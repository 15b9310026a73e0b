package oracle

// Kind is a kind of thing, and what its recipes do.
type Kind struct {
	Name    string
	Recipes []string // that go together at one: a library's letter and the recipe's name
	Room    int      // how many may be inside together; 0 for any number
	At      []string // what zkviz is asked about, below the path that programs name; that itself if there are none
	// Together is how many have to come for one to get in; all come at about the same time.
	Together int
	Traits
}

// Traits are recipes, by their names, that aren't like others.
type Traits struct {
	Alone    []string // their clients share it with nobody
	Doubtful []string // zkviz may leave out that their clients are inside: that can't be told
	Unwoken  []string // their clients may be first in line and never hear of it
	Hasty    []string // they say that they have left before they have
	// Their clients may be first in a place unheard, and give that up for another: after a reconnect, or since what they
	// have locked is gone.
	Fickle []string
}

// Kinds are all that programs know how to use.
//
// A mutex of Curator's counts names with "lock-", as go-zookeeper's do, and one that's written by the recipes page
// counts all. A lock of kazoo's that is told to counts "-lock-", and go-zookeeper's count "__".
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
	// Who asks just as another leaves may never hear that it leads.
	{Name: "election", Recipes: []string{"j election"}, Room: 1, Traits: Traits{Unwoken: []string{"election"}}},

	{Name: "kazoo-lock", Recipes: []string{"k lock"}, Room: 1},
	{Name: "kazoo-mixed", Recipes: []string{"k mixed", "g lock"}, Room: 1},
	// A reader that waits for a writer behind it waits for one that waits for it.
	{Name: "kazoo-read-write", Recipes: []string{"k read", "k write"}, Traits: Traits{Alone: []string{"write"},
		Doubtful: []string{"read"}, Unwoken: []string{"read"}}},
	{Name: "kazoo-semaphore", Recipes: []string{"k semaphore"}, Room: 2},
	{Name: "kazoo-election", Recipes: []string{"k election"}, Room: 1},
	// The first to leave takes away what says that they may go on: of the others it can't be told from then on.
	{Name: "kazoo-double-barrier", Recipes: []string{"k doublebarrier"}, Room: 3, Together: 3,
		Traits: Traits{Doubtful: []string{"doublebarrier"}}},
	{Name: "kazoo-party", Recipes: []string{"k party"}},
	// Who locks an item that another has taken out meanwhile looks for the next one.
	{Name: "kazoo-locking-queue", Recipes: []string{"k lockingqueue"}, At: []string{"/taken"},
		Traits: Traits{Fickle: []string{"lockingqueue"}}},

	{Name: "page-lock", Recipes: []string{"k ahead", "k first", "k ahead", "k blind"}, Room: 1,
		Traits: Traits{Unwoken: []string{"blind"}}},
	{Name: "page-children", Recipes: []string{"k children"}, Room: 1},
	{Name: "page-read-write", Recipes: []string{"k page-read", "k page-write"},
		Traits: Traits{Alone: []string{"page-write"}}},

	{Name: "gozk-lock", Recipes: []string{"g lock"}, Room: 1},
}

// asked is what zkviz is asked about, behind the path that programs name.
func (k Kind) asked() []string {
	if len(k.At) == 0 {
		return []string{""}
	}
	return k.At
}
