package clients

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
)

// What Curator needs, as Debian has it. Each jar names in its manifest what else it needs. Without one of
// slf4j's jars it warns that nobody hears what it logs.
const curatorJars = "/usr/share/java/curator-recipes.jar:/usr/share/java/slf4j-nop.jar"

func needCurator(t *testing.T) {
	t.Helper()
	need(t, "/usr/share/java/curator-recipes.jar", "libcurator-recipes-java")
	need(t, "javac", "default-jdk-headless")
}

// curatorChecks are the programs in testdata/curator, compiled once for all servers.
type curatorChecks struct {
	folder string // of the classes
	once   sync.Once
	err    error
}

func (c *curatorChecks) compile(t *testing.T) {
	c.once.Do(func() {
		sources, err := filepath.Glob("testdata/curator/*.java")
		if err != nil {
			c.err = err
			return
		}
		args := append([]string{"-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-proc:none",
			"-cp", curatorJars, "-d", c.folder}, sources...)
		if out, err := command(t, "javac", args...).CombinedOutput(); err != nil {
			c.err = fmt.Errorf("javac: %w\n%s", err, out)
		}
	})
	if c.err != nil {
		t.Fatal(c.err)
	}
}

// run puts Curator to work.
func (c *curatorChecks) run(t *testing.T, addr string) {
	needCurator(t)
	c.compile(t)
	report(t, 33, command(t, "java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
		"-cp", curatorJars+":"+c.folder, "Main", addr, "/curator"))

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
	w.wantLeft("/curator/containersAndTTL", "later-0000000004", "parent", "unused")
}
