package naming

import (
	"regexp"
	"regexp/syntax"
)

// Pieces of names.
const (
	uuid   = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`
	hex    = `[0-9a-f]{32}`
	number = `-?\d{10}$`

	session = `-?[0-9a-f]{1,16}-`
)

// conventions are those that are known. Where two take the same names, the first goes.
var conventions = [...]convention{
	// Curator: LockInternals, InterProcessReadWriteLock, LeaderLatch, InterProcessSemaphoreV2, DistributedQueue.
	named(Lock, "Curator", `^_c_`+uuid+`-lock-`+number, false),
	named(ReadWrite, "Curator", `^_c_`+uuid+`-__(?:(?P<read>READ)|WRIT)__`+number, false),
	named(Election, "Curator", `^_c_`+uuid+`-latch-`+number, false),
	named(Semaphore, "Curator", `^_c_`+uuid+`-lease-`+number, false),
	named(Queue, "Curator", `^queue-(?:[0-9A-F]{8})?`+number, true),
	// DistributedDoubleBarrier, once all have come; the instances of a service.
	named(Barrier, "Curator", `^`+uuid+`$`, false).beside("ready"),
	named(Members, "Curator", `^`+uuid+`$`, false),

	// kazoo: Lock (and Election, which is one), ReadLock and WriteLock, DoubleBarrier, once all have come, and until
	// then as a Semaphore, Queue and LockingQueue, Party.
	named(Lock, "kazoo", `^`+hex+`__lock__`+number, false),
	named(ReadWrite, "kazoo", `^`+hex+`__(?:(?P<read>rlock)|lock)__`+number, false),
	named(Barrier, "kazoo", `^`+hex+`$`, false).beside("ready"),
	named(Semaphore, "kazoo", `^`+hex+`$`, false),
	named(Queue, "kazoo", `^entry-\d{3}-`+number, true),
	named(Members, "kazoo", `^`+hex+`(?:__party__|-.*)`, false),

	// go-zookeeper: Lock.
	named(Lock, "go-zookeeper", `^_c_`+hex+`-lock-`+number, false),

	// Systems.
	named(Election, "Solr", `^\d+-.+-n_`+number, false),
	named(Members, "Solr", `^.+:\d+_solr$`, false),
	named(Members, "HBase", `^[^,]+,\d+,\d{13}$`, false),
	named(Election, "ClickHouse", `^leader_election-`+number, false),
	named(Queue, "ClickHouse", `^(?:log|queue|query)-`+number, true),
	named(Members, "Kafka", `^\d{1,9}$`, false),

	// Ours, which have the session in the name.
	named(ReadWrite, "zkviz", `^(?:(?P<read>read)|write)-`+session+number, false),
	named(Lock, "zkviz", `^lock-`+session+number, false),
	named(Semaphore, "zkviz", `^lease-`+session+number, false),
	named(Queue, "zkviz", `^item-\d+-`+number, true),

	// What ZooKeeper's recipes page calls them, and with it many who write their own.
	named(ReadWrite, "the ZooKeeper recipes", `^(?:(?P<read>read)|write)-`+number, false),
	named(Lock, "the ZooKeeper recipes", `lock-?`+number, false),
	named(Lock, "the ZooKeeper recipes", `^x-\d+-`+number, false),
	named(Election, "the ZooKeeper recipes", `^(?:guid|n)[-_]`+number, false),
	named(Queue, "the ZooKeeper recipes", `^(?:queue|qn|item|element|task)-`+number, true),
}

// alone are names of znodes that mean something without others beside them: the first to make it holds it. What one
// system has named goes before what many call theirs.
var alone = [...]convention{
	named(Election, "Kafka", `^controller$`, false),
	named(Election, "HBase", `^master$`, false),
	named(Election, "Hadoop", `^ActiveStandbyElectorLock$`, false),
	named(Members, "ClickHouse", `^is_active$`, false),
	named(Election, "", `(?i)(?:leader|master|primary|active|coordinator|overseer)$`, false),
	named(Lock, "", `(?i)(?:lock|mutex)$`, false),
}

// Alone returns what an ephemeral znode is for by its own name, and whose name that is, nobody's if many call theirs
// that. It is Unknown if the name says nothing.
func Alone(name string) (use Use, whose string) {
	for i := range alone {
		if c := &alone[i]; c.matches(name) {
			return c.use, c.whose
		}
	}
	return Unknown, ""
}

// Tells reports whether a child's name is one that Of or ByNumber goes by.
func Tells(c Child) bool { return relativeOf(c).named != 0 || siblingOf(c) != 0 }

// siblingOf are the ways of naming that need a child beside those which are named so.
func siblingOf(c Child) (ways uint32) {
	for i := range conventions {
		if conventions[i].needs(c) {
			ways |= 1 << (i + 1)
		}
	}
	return ways
}

func named(use Use, whose, pattern string, lasts bool) convention {
	return convention{use: use, whose: whose, name: regexp.MustCompile(pattern), has: literal(pattern), lasts: lasts}
}

// beside is a convention that is followed only beside a persistent znode of a name.
func (c convention) beside(sibling string) convention {
	c.sibling = sibling
	return c
}

// literal is the longest text that all names of a pattern have: where it's missing, nothing needs to be matched.
func literal(pattern string) (longest string) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat {
		return ""
	}
	for _, part := range re.Sub {
		if text := string(part.Rune); part.Op == syntax.OpLiteral && len(text) > len(longest) {
			longest = text
		}
	}
	return longest
}
