package naming

import "sync"

// Pieces of names.
const (
	uuid   = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`
	hex    = `[0-9a-f]{32}`
	number = `-?\d{10}$`

	session = `-?[0-9a-f]{1,16}-`
)

// recipes is the table of known recipes: how each names its znodes, and what that implies for a client that has
// one. Where two recipes share a name, the first wins.
//
// Sources: Curator 5.4 (LockInternals, StandardLockInternalsDriver, InterProcessReadWriteLock,
// InterProcessSemaphoreV2, LeaderLatch, DistributedDoubleBarrier, DistributedQueue), kazoo 2.8 (recipe/lock.py,
// barrier.py, queue.py, party.py), go-zookeeper 1.0.4 (lock.go), and the recipes page of ZooKeeper.
var recipes = [...]recipe{
	// Curator sorts by the text after its own part of the name and counts znodes that have that part. Clients wait for
	// a permit at a door: the first there creates its lease, and is inside once there are few enough. Instances of a
	// service are members too. A client that works on an item of a queue has a znode of its name in another folder.
	{use: Lock, whose: "Curator", name: `^_c_` + uuid + `-lock-` + number, speaks: dash, hears: dash, byText: true,
		watches: true},
	{use: ReadWrite, whose: "Curator", name: `^_c_` + uuid + `-__(?:(?P<read>READ)|WRIT)__` + number,
		speaks: under, byText: true, reenters: true, watches: true},
	{use: Election, whose: "Curator", name: `^_c_` + uuid + `-latch-` + number, byText: true, watches: true},
	{use: Semaphore, whose: "Curator", name: `^_c_` + uuid + `-lease-` + number, knocks: true},
	{use: Queue, whose: "Curator", name: `^queue-(?:[01][0-9A-F]{8}|\|[^|]*\|)?` + number, lasts: true, digits: true},
	{use: Members, whose: "Curator", name: `^queue-(?:[01][0-9A-F]{8}|\|[^|]*\|)?` + number, digits: true},
	{use: Barrier, whose: "Curator", name: `^` + uuid + `$`, sibling: "ready"},
	{use: Members, whose: "Curator", name: `^` + uuid + `$`},

	// kazoo's locks may have no session, may be told of other names to count, and sort by the text of the number. Its
	// ReadLock waits for the last writer, even one behind it, up to 2.8; later only for one ahead. Its semaphore has a
	// door beside it. Its double barrier has a znode "ready" from when all have arrived until one leaves.
	{use: Lock, whose: "kazoo", name: `^` + hex + `__lock__` + number, speaks: under | kazoos, byText: true,
		told: true, outlives: true, seldom: true, watches: true},
	{use: ReadWrite, whose: "kazoo", name: `^` + hex + `__(?:(?P<read>rlock)|lock)__` + number, speaks: under | kazoos,
		hears: kazoos, byText: true, told: true, outlives: true, seldom: true, lastWriter: true, watches: true},
	{use: Barrier, whose: "kazoo", name: `^` + hex + `$`, sibling: "ready"},
	{use: Semaphore, whose: "kazoo", name: `^` + hex + `$`, door: true},
	{use: Barrier, whose: "kazoo", name: `^` + hex + `$`, gathers: true},
	{use: Queue, whose: "kazoo", name: `^entry-\d{3}-` + number, lasts: true},
	{use: Members, whose: "kazoo", name: `^entry-\d{3}-` + number},
	{use: Members, whose: "kazoo", name: `^` + hex + `(?:__party__|-.*)`},

	// go-zookeeper counts all znodes that have a number after "lock-" or "__".
	{use: Lock, whose: "go-zookeeper", name: `^_c_` + hex + `-lock-` + number, speaks: dash, hears: dash | under,
		watches: true},

	// Systems. Hive's and HBase's locks outlive their programs.
	{use: ReadWrite, whose: "Hive", name: `^LOCK-(?:(?P<read>SHARED)|EXCLUSIVE)-` + number, outlives: true},
	{use: ReadWrite, whose: "HBase", name: `^(?:(?P<read>read)|write)-.+:\d*` + number, outlives: true, digits: true},
	{use: ReadWrite, whose: "zk-ruby", name: `^(?:(?P<read>sh)|ex)` + number},
	{use: Election, whose: "Solr", name: `^\d+-.+-n_` + number},
	{use: Members, whose: "Solr", name: `^.+:\d+_solr$`},
	{use: Members, whose: "HBase", name: `^[^,]+,\d+,\d{13}$`},
	{use: Election, whose: "ClickHouse", name: `^leader_election-` + number},
	{use: Queue, whose: "ClickHouse", name: `^(?:log|queue|query)-` + number, lasts: true},
	{use: Members, whose: "Kafka", name: `^\d{1,9}$`},

	// zkviz's own, which have the session in the name.
	{use: ReadWrite, whose: "zkviz", name: `^(?:(?P<read>read)|write)-` + session + number},
	{use: Lock, whose: "zkviz", name: `^lock-` + session + number, speaks: dash, hears: dash},
	{use: Semaphore, whose: "zkviz", name: `^lease-` + session + number},
	{use: Queue, whose: "zkviz", name: `^item-\d+-` + number, lasts: true},

	// The names on ZooKeeper's recipes page, which many programs of one's own use. They may count any other names too.
	{use: ReadWrite, whose: page, name: `^(?:(?P<read>read)|write)-` + number, written: true, told: true},
	{use: Lock, whose: page, name: `(?:^|[^bc])[Ll]ock-?` + number, written: true, told: true, speaks: dash,
		hears: dash},
	{use: Lock, whose: page, name: `^x--?\d+-` + number, written: true, told: true},
	{use: Election, whose: page, name: `^(?:guid|n)[-_]` + number, written: true, told: true},
	{use: Queue, whose: page, name: `^(?:queue|qn|item|element|task)-` + number, written: true, lasts: true},
}

const page = "the ZooKeeper recipes"

// alone lists names of znodes that mean something without others beside them: the first client to create one holds
// it. Names of a single system come before common ones.
var alone = [...]recipe{
	{use: Election, whose: "Kafka", name: `^controller$`},
	{use: Election, whose: "HBase", name: `^master$`},
	{use: Election, whose: "Hadoop", name: `^ActiveStandbyElectorLock$`},
	{use: Members, whose: "ClickHouse", name: `^is_active$`},
	{use: Election, name: `(?i)(?:leader|(?:^|[^t])master|primary|(?:^|[^n])active|coordinator|overseer)$`},
	{use: Lock, name: `(?i)(?:(?:^|[^bc])lock|mutex)$`},
}

// The patterns of both tables. They are compiled on first use: most programs with this package never ask about
// names, and compiling takes longer than the rest of their start.
var (
	names      = sync.OnceValue(func() []pattern { return patterns(recipes[:]) })
	aloneNames = sync.OnceValue(func() []pattern { return patterns(alone[:]) })
)

// Alone returns what an ephemeral znode is for by its own name, and whose name that is, empty if it is a common
// one. The use is Unknown if the name says nothing.
func Alone(name string) (use Use, whose string) {
	patterns := aloneNames()
	for i := range alone {
		if patterns[i].matches(name) {
			return alone[i].use, alone[i].whose
		}
	}
	return Unknown, ""
}
