package clients

import (
	"path/filepath"
	"sync"
	"testing"
)

// What Curator needs, as Debian has it. Each jar names in its manifest what else it needs. Without one of
// slf4j's jars it warns that nobody hears what it logs.
const (
	curatorJars     = "/usr/share/java/curator-recipes.jar:/usr/share/java/slf4j-nop.jar"
	curatorPackages = "libcurator-recipes-java libcurator-framework-java"
)

func needCurator(t *testing.T) {
	t.Helper()
	need(t, "/usr/share/java/curator-recipes.jar", curatorPackages)
	need(t, "javac", "default-jdk-headless")
}

// compiled is the folder of the classes of testdata/curator, which both servers' tests run.
var compiled = sync.OnceValues(compileCurator)

// curator compiles and runs the checks in testdata/curator.
func curator(t *testing.T, addr string) {
	needCurator(t)
	classes, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	report(t, 33, java(t, curatorJars+":"+classes, "Main", addr, "/curator"))

	w := newWitness(t, addr)
	w.wantNoEphemerals("/curator")
	w.wantData("/curator/mutexOfTenThreads/count", "50")
	w.wantData("/curator/mutexOfTenClients/count", "50")
	w.wantData("/curator/readWriteLock/count", "30")
	w.wantData("/curator/otherLocks/count", "20")
	w.wantData("/curator/leaderSelector/count", "5")
	w.wantData("/curator/sharedCount/count", "\x00\x00\x00\x14")
	w.wantData("/curator/atomicLong/long", "\x00\x00\x00\x00\x00\x00\x00\x3c")
	w.wantData("/curator/transactions/one", "2")
	w.wantLeft("/curator/transactions", "one")
	w.wantLeft("/curator/queue/queue")
	w.wantLeft("/curator/containersAndTTL", "later", "ttl-0000000003", "unused")
}
