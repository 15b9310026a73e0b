package oracle

// scenes lists the states to compare.
var scenes = []scene{
	{name: "mutex", steps: "in j1 mutex; ask j2 mutex 1; ask j3 mutex 1", in: "j1"},
	{name: "mutex-next", steps: "in j1 mutex; ask j2 mutex 1; ask j3 mutex 1; leave j1 mutex; watches j3 j2",
		in: "j2"},
	{name: "mutex-gives-up", steps: "in j1 mutex; try j2 mutex 300", in: "j1"},
	{name: "mutex-free", steps: "in j1 mutex; try j2 mutex 300; leave j1 mutex", in: ""},
	{name: "semaphore-mutex", steps: "in j1 semaphoremutex", in: "j1"},
	{name: "semaphore-mutex-door", steps: "in j1 semaphoremutex; ask j2 semaphoremutex 2", in: "j1"},
	{name: "semaphore-mutex-line", steps: "in j1 semaphoremutex; ask j2 semaphoremutex 2; ask j3 semaphoremutex 1",
		in: "j1"},
	{name: "semaphore", steps: "in j1 semaphore; in j2 semaphore", in: "j1 j2"},
	{name: "semaphore-door", steps: "in j1 semaphore; in j2 semaphore; ask j3 semaphore 2; ask j4 semaphore 1",
		in: "j1 j2"},
	{name: "reads", steps: "in j1 read; in j2 read; ask j3 write 1; ask j4 read 1", in: "j1 j2"},
	{name: "writes", steps: "in j1 write; ask j2 read 1; ask j3 write 1; ask j4 read 1", in: "j1"},
	{name: "reads-next", steps: "in j1 write; ask j2 read 1; ask j3 write 1; leave j1 write; watches j3 j2",
		in: "j2"},
	{name: "downgrade",
		steps: "in j1 downgrade; ask j2 read 1; ask j3 write 1; in j1 downgrade; leave j1 downgrade; watches j3 j2",
		in:    "j1 j2", doubt: true},
	{name: "multi", steps: "in j1 multi; ask j2 multi 1", in: "j1"},
	{name: "multi-too", steps: "in j1 multi; ask j2 multi 1", at: "-too", in: "j1"},
	{name: "latch", steps: "in j1 latch; ask j2 latch 1", in: "j1"},
	{name: "selector", steps: "in j1 selector; ask j2 selector 1", in: "j1"},
	{name: "write-lock", steps: "in j1 writelock; ask j2 writelock 1", in: "j1"},
	{name: "election", steps: "in j1 election; ask j2 election 1", in: "j1"},
	{name: "barrier", steps: "in j1 barrier", in: ""},
	{name: "double-barrier-waits", steps: "ask j1 doublebarrier 1; ask j2 doublebarrier 1", in: ""},
	{name: "double-barrier", steps: "ask j1 doublebarrier 1; ask j2 doublebarrier 1; in j3 doublebarrier",
		in: "j1 j2 j3"},
	{name: "locked-queue", steps: "in j1 lockedqueue", in: "j1"},

	{name: "kazoo-lock", steps: "in k1 lock; ask k2 lock 1", in: "k1"},
	{name: "kazoo-lasting", steps: "in k1 lasting; ask k2 lock 1", in: "nobody"},
	{name: "kazoo-gives-up", steps: "in k1 lock; try k2 lock 300; leave k1 lock", in: ""},
	{name: "kazoo-reads", steps: "in k1 read; in k2 read; ask k3 write 1; ask k4 read 1", in: "k1 k2",
		doubt: true},
	{name: "kazoo-writes", steps: "in k1 write; ask k2 read 1; ask k3 read 1", in: "k1"},
	{name: "kazoo-stuck", steps: "in k1 write; ask k2 read 1; ask k3 write 1; leave k1 write; watches k2 k3", in: ""},
	{name: "kazoo-semaphore", steps: "in k1 semaphore; in k2 semaphore; ask k3 semaphore 1; ask k4 semaphore 1",
		in: "k1 k2"},
	{name: "kazoo-election", steps: "in k1 election; ask k2 election 1", in: "k1"},
	{name: "kazoo-barrier-waits", steps: "ask k1 doublebarrier 1; ask k2 doublebarrier 1", in: ""},
	{name: "kazoo-barrier", steps: "ask k1 doublebarrier 1; ask k2 doublebarrier 1; in k3 doublebarrier",
		in: "k1 k2 k3"},
	{name: "kazoo-party", steps: "in k1 party; in k2 party", in: "k1 k2"},
	{name: "kazoo-locking-queue", steps: "in k1 lockingqueue", at: "/taken", in: "k1"},

	{name: "gozk-lock", steps: "in g1 lock; ask g2 lock 1", in: "g1"},
	{name: "gozk-kazoo", steps: "in g1 lock; ask k1 mixed 1; ask g2 lock 1", in: "g1"},
	{name: "kazoo-gozk", steps: "in k1 mixed; ask g1 lock 1; ask k2 mixed 1; leave k1 mixed", in: "g1"},
	{name: "curator-gozk", steps: "in j1 mutex; ask g1 lock 1; ask j2 mutex 1", in: "j1"},
	{name: "gozk-curator", steps: "in g1 lock; ask j1 mutex 1; ask g2 lock 1; leave g1 lock; watches g2 j1",
		in: "j1"},

	{name: "page-children", steps: "in k1 children; ask k2 children 1", in: "k1"},
	{name: "page-ahead", steps: "in k1 ahead; ask k2 ahead 1", in: "k1"},
	{name: "page-first", steps: "in k1 first; ask k2 first 1; ask k3 first 1", in: "k1"},
	{name: "page-blind", steps: "in k1 ahead; ask k2 blind 1; leave k1 ahead", in: ""},
	{name: "page-reads", steps: "in k1 page-read; in k2 page-read; ask k3 page-write 1; ask k4 page-read 1",
		in: "k1 k2"},
}

// known lists what is wrong today.
var known = []wrong{
	// The names look like those of a service's members, and those are present.
	{scene: "double-barrier-waits", says: "j1 j2"},
	// It comes first, but nobody tells it, and no transaction shows that.
	{scene: "page-blind", says: "k2"},
}
