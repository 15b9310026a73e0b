package servers_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/conform"
	"github.com/zkviz/zkviz/engine/testing/conform/servers"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// difference is one that is kept on purpose, as in DIFFERENCES.md.
type difference struct {
	name string
	real string // a script with the replies of ZooKeeper
	ours string // the same with those of the embedded server
}

// parseKept parses DIFFERENCES.md: each difference is a heading of the third level, `### NAME`, with two code blocks
// below it, the first marked zookeeper and the second zkviz.
func parseKept(page string) ([]difference, error) {
	var all []difference
	for _, section := range strings.Split(page, "\n### ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		k := difference{name: name}
		var err error
		if k.real, text, err = block(text, "zookeeper"); err == nil {
			k.ours, _, err = block(text, "zkviz")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, k)
	}
	return all, nil
}

// block returns the text of the first code block with that mark, and what follows it.
func block(text, mark string) (inside, rest string, err error) {
	_, text, ok := strings.Cut(text, "```"+mark+"\n")
	if !ok {
		return "", "", fmt.Errorf("there is no block of code marked %s", mark)
	}
	inside, rest, ok = strings.Cut(text, "```")
	if !ok {
		return "", "", fmt.Errorf("the block of code marked %s has no end", mark)
	}
	return inside, rest, nil
}

func kept(t *testing.T) []difference {
	page, err := os.ReadFile("../../../../DIFFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	all, err := parseKept(string(page))
	if err != nil {
		t.Fatal("DIFFERENCES.md:", err)
	}
	return all
}

// TestKeptAreKnown checks that generated scripts leave out what the page describes, and nothing else.
func TestKeptAreKnown(t *testing.T) {
	var named []string
	for _, k := range kept(t) {
		named = append(named, k.name)
	}
	if known := conform.Known(); !slices.Equal(named, known) {
		t.Errorf("DIFFERENCES.md describes %q, and the harness knows %q", named, known)
	}
}

// TestKeptOurs checks what the page says about the embedded server.
func TestKeptOurs(t *testing.T) {
	for _, k := range kept(t) {
		same(t, "embedded", k.name, k.ours, 0)
	}
}

// TestKeptReal checks what the page says about ZooKeeper. Where that doesn't reply, the test doesn't wait long.
func TestKeptReal(t *testing.T) {
	t.Parallel()
	zktest.Need(t)
	for _, k := range kept(t) {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			patience := time.Duration(0)
			if strings.Contains(k.real, "no answer") {
				patience = 30 * time.Second
			}
			same(t, "zookeeper", k.name, k.real, patience)
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
