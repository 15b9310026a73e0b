package clients

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/clienttest"
)

// curatorChecks holds the programs in testdata/curator, compiled once for all servers.
type curatorChecks struct {
	folder string // for the classes
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
			"-cp", clienttest.Jars, "-d", c.folder}, sources...)
		if out, err := exec.CommandContext(within(t), "javac", args...).CombinedOutput(); err != nil {
			c.err = fmt.Errorf("javac: %w\n%s", err, out)
		}
	})
	if c.err != nil {
		t.Fatal(c.err)
	}
}

// run runs the Curator checks and inspects their result.
func (c *curatorChecks) run(t *testing.T, addr string) {
	clienttest.Need(t, clienttest.Curator)
	c.compile(t)
	// Java uses the last of several class paths.
	report(t, 33, clienttest.Curator.Command(within(t), "-cp", clienttest.Jars+":"+c.folder, "Main", addr, "/curator"))

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
