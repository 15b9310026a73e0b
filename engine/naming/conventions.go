package naming

import "regexp"

// Pieces of names.
const (
	uuid   = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`
	hex    = `[0-9a-f]{32}`
	number = `-?\d{10}$`

	session = `-?[0-9a-f]{1,16}-`
)

// conventions are those that are known. Where two take the same names, the first goes.
var conventions = []convention{
	// Curator: LockInternals, InterProcessReadWriteLock, LeaderLatch, InterProcessSemaphoreV2, DistributedQueue.
	{Lock, "Curator", regexp.MustCompile(`^_c_` + uuid + `-lock-` + number), false},
	{ReadWrite, "Curator", regexp.MustCompile(`^_c_` + uuid + `-__(?:(?P<read>READ)|WRIT)__` + number), false},
	{Election, "Curator", regexp.MustCompile(`^_c_` + uuid + `-latch-` + number), false},
	{Semaphore, "Curator", regexp.MustCompile(`^_c_` + uuid + `-lease-` + number), false},
	{Queue, "Curator", regexp.MustCompile(`^queue-(?:[0-9A-F]{8})?` + number), true},

	// kazoo: Lock (and Election, which is one), ReadLock and WriteLock, Semaphore, Queue and LockingQueue, Party.
	{Lock, "kazoo", regexp.MustCompile(`^` + hex + `__lock__` + number), false},
	{ReadWrite, "kazoo", regexp.MustCompile(`^` + hex + `__(?:(?P<read>rlock)|lock)__` + number), false},
	{Semaphore, "kazoo", regexp.MustCompile(`^` + hex + `$`), false},
	{Queue, "kazoo", regexp.MustCompile(`^entry-\d{3}-` + number), true},
	{Members, "kazoo", regexp.MustCompile(`^` + hex + `(?:__party__|-.*)`), false},

	// go-zookeeper: Lock.
	{Lock, "go-zookeeper", regexp.MustCompile(`^_c_` + hex + `-lock-` + number), false},

	// Systems.
	{Election, "Solr", regexp.MustCompile(`^\d+-.+-n_` + number), false},
	{Members, "Solr", regexp.MustCompile(`^.+:\d+_solr$`), false},
	{Members, "HBase", regexp.MustCompile(`^[^,]+,\d+,\d{13}$`), false},
	{Election, "ClickHouse", regexp.MustCompile(`^leader_election-` + number), false},
	{Queue, "ClickHouse", regexp.MustCompile(`^(?:log|queue|query)-` + number), true},
	{Members, "Kafka", regexp.MustCompile(`^\d{1,9}$`), false},

	// Ours, which have the session in the name.
	{ReadWrite, "zkviz", regexp.MustCompile(`^(?:(?P<read>read)|write)-` + session + number), false},
	{Lock, "zkviz", regexp.MustCompile(`^lock-` + session + number), false},
	{Semaphore, "zkviz", regexp.MustCompile(`^lease-` + session + number), false},
	{Queue, "zkviz", regexp.MustCompile(`^item-\d+-` + number), true},

	// What ZooKeeper's recipes page calls them, and with it many who write their own.
	{ReadWrite, "the ZooKeeper recipes", regexp.MustCompile(`^(?:(?P<read>read)|write)-` + number), false},
	{Lock, "the ZooKeeper recipes", regexp.MustCompile(`^(?:x-\d+-|.*lock-?)` + number), false},
	{Election, "the ZooKeeper recipes", regexp.MustCompile(`^(?:guid|n)[-_]` + number), false},
	{Queue, "the ZooKeeper recipes", regexp.MustCompile(`^(?:queue|qn|item|element|task)-` + number), true},
}
