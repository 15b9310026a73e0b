package scene

// Words are all the words that a picture can show, so that they can be translated.
type Words struct {
	ZooKeeper, Zxid, Session, OutOfReach string

	Ephemeral, Eph, Persistent, Deleted, Expired, NotThere string // of a znode

	Holds, Waits, Woken, Released, Lost, Produced, Consumed, Passed string // a client's phase
	GaveUp, Leads, Reads, Writes, Leaves, Left, Named, Counted      string // more of them
	Published, Saw, Committed, Aborted, Works, Done                 string
	Crashed, Paused, CutOff, Connects                               string // what became of it
	Owner                                                           string // of ephemeral znodes, all that is known of an observed client

	IsInside, Inside       string // "A is inside", "inside"
	IsFirst, First         string // "A is first", "first": in the zoo
	Connected, LoggedOff   string // of a client in the zoo that does not queue
	Yours                  string // of one that is no contender of ours
	ThinksLong, ThinksTail string // "thinks it", "holds the lock"
	ThinksShort            string // "thinks: in"
	ThinksLeads, ThinksIn  string // "it leads", "it is inside"

	Store, Greatest, NoWrites, Refused string // of what a lock protects: "store", "greatest number", "nothing written yet", "refused"

	// The nouns of the line of figures, after a number.
	NTold, NWoken, NAcquired, NWasted, NWait, NWatch, NWatches, NRequests, NWakeups, NZnode, NZnodes string

	Producers, Consumers, More                string
	OK, Error, NodeExists, NoNode, BadVersion string     // of a reply
	Ops                                       [14]string // by event.Op
}

// English is the default.
func English() Words {
	return Words{
		ZooKeeper: "ZooKeeper", Zxid: "zxid", Session: "session", OutOfReach: "out of reach",
		Ephemeral: "ephemeral", Eph: "eph.", Persistent: "persistent", Deleted: "deleted", Expired: "expired", NotThere: "not there",
		Holds: "holds", Waits: "waits", Woken: "woken", Released: "released", Lost: "lost", Produced: "produced", Consumed: "consumed", Passed: "passed",
		GaveUp: "gave up", Leads: "leads", Reads: "reads", Writes: "writes", Leaves: "leaves", Left: "left", Named: "has id", Counted: "counted",
		Published: "published", Saw: "knows", Committed: "committed", Aborted: "aborted", Works: "works", Done: "done",
		Crashed: "crashed", Paused: "paused", CutOff: "cut off", Connects: "connects", Owner: "owner",
		IsInside: "is inside", Inside: "inside",
		IsFirst: "is first", First: "first", Connected: "connected", LoggedOff: "gone", Yours: "yours",
		ThinksLong: "thinks it", ThinksTail: "holds the lock", ThinksShort: "holds?",
		ThinksLeads: "it leads", ThinksIn: "it is inside",
		Store: "store", Greatest: "greatest number", NoWrites: "nothing written yet", Refused: "refused",
		NTold: "told", NWoken: "woken", NAcquired: "acquired", NWasted: "wasted", NWait: "waiting", NWatch: "watch", NWatches: "watches", NRequests: "requests", NWakeups: "wakeups", NZnode: "znode", NZnodes: "znodes",
		Producers: "producers", Consumers: "consumers", More: "more",
		OK: "ok", Error: "error", NodeExists: "exists", NoNode: "no node", BadVersion: "bad version",
		Ops: [14]string{"", "connect", "ping", "create", "delete", "exists", "get", "set", "list", "multi", "sync", "check", "close", "watches"},
	}
}
