package servers_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/conform"
	"github.com/zkviz/zkviz/engine/conform/servers"
	"github.com/zkviz/zkviz/engine/live/zktest"
)

func kept(t *testing.T) []conform.Kept {
	page, err := os.ReadFile("../../../DIFFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	all, err := conform.ParseKept(string(page))
	if err != nil {
		t.Fatal("DIFFERENCES.md:", err)
	}
	return all
}

// The harness leaves out what the page describes, and nothing else.
func TestKeptAreKnown(t *testing.T) {
	var named []string
	for _, k := range kept(t) {
		named = append(named, k.Name)
	}
	if known := conform.Known(); !slices.Equal(named, known) {
		t.Errorf("DIFFERENCES.md describes %q, and the harness knows %q", named, known)
	}
}

// What the page says of the embedded server is so.
func TestKeptOurs(t *testing.T) {
	for _, k := range kept(t) {
		same(t, "embedded", k.Name, k.Ours, 0)
	}
}

// What the page says of ZooKeeper is so. Where that does not answer, this does not wait for long.
func TestKeptReal(t *testing.T) {
	t.Parallel()
	zktest.Need(t)
	for _, k := range kept(t) {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			patience := time.Duration(0)
			if strings.Contains(k.Real, "no answer") {
				patience = 30 * time.Second
			}
			same(t, "zookeeper", k.Name, k.Real, patience)
		})
	}
}

func same(t *testing.T, server, name, want string, patience time.Duration) {
	t.Helper()
	got, err := servers.Record(server, want, patience)
	if err != nil {
		t.Fatal(name, err)
	}
	if line, a, b := firstDifference(want, got); line > 0 {
		t.Errorf("%s, line %d: DIFFERENCES.md says\n%s\nand the %s server\n%s", name, line, a, server, b)
	}
}
