package naming_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/naming"
)

// children makes children with these names; a name that ends in ! makes a persistent one.
func children(names ...string) (list []naming.Child) {
	for i, name := range names {
		c := naming.Child{Name: strings.TrimSuffix(name, "!"), Owner: int64(i + 1)}
		if c.Name != name {
			c.Owner = 0
		}
		list = append(list, c)
	}
	return list
}

// text writes a guess: use, whose, and each place with its state: ! inside, r reads.
func text(g naming.Guess) string {
	s := fmt.Sprintf("%s of %s:", g.Use, g.Whose)
	for _, p := range g.Places {
		s += " "
		if p.Reads {
			s += "r"
		}
		s += fmt.Sprint(p.Child.Owner)
		if p.Inside {
			s += "!"
		}
		if p.Doubt != "" {
			s += "?" + string(p.Doubt)
		}
	}
	if g.Others > 0 {
		s += fmt.Sprintf(", and %d others", g.Others)
	}
	return s
}

const (
	uuid = "9f3a6c1e-0b7d-4f55-9a1b-0123456789ab"
	hex  = "9f3a6c1e0b7d4f559a1b0123456789ab"
)

// TestOf has names as they are found in clusters, in any order.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		want  string
		names []string
	}{
		{"lock of Curator: 2! 1", []string{"_c_" + uuid + "-lock-0000000012", "_c_" + uuid + "-lock-0000000003"}},
		{"read-write of Curator: r3! r1! 2 r4", []string{"_c_" + uuid + "-__READ__0000000002",
			"_c_" + uuid + "-__WRIT__0000000003", "_c_" + uuid + "-__READ__0000000001", "_c_" + uuid + "-__READ__0000000004"}},
		{"read-write of Curator: 1! r2", []string{"_c_" + uuid + "-__WRIT__0000000003",
			"_c_" + uuid + "-__READ__0000000004"}},
		{"election of Curator: 1! 2", []string{"_c_" + uuid + "-latch-0000000000", "_c_" + uuid + "-latch-0000000001"}},
		{"permits of Curator: 1! 2!", []string{"_c_" + uuid + "-lease-0000000000", "_c_" + uuid + "-lease-0000000001"}},
		{"queue of Curator: 0 0", []string{"queue-0000000007!", "queue-0000000008!"}},
		{"lock of kazoo: 1! 2", []string{hex + "__lock__0000000000", hex + "__lock__0000000001"}},
		{"read-write of kazoo: r1! r2!", []string{hex + "__rlock__0000000000", hex + "__rlock__0000000001"}},
		{"rendezvous of kazoo: 1?gathering", []string{hex}},
		{"rendezvous of kazoo: 1! 2!", []string{hex, strings.Replace(hex, "9", "a", 1), "ready!"}},
		{"rendezvous of Curator: 1!", []string{uuid, "ready!"}},
		{"members of Curator: 1!", []string{uuid}},
		{"members of Curator: 1!, and 1 others", []string{uuid, "ready"}}, // not what a barrier has beside it
		{"queue of kazoo: 0", []string{"entry-100-0000000000!"}},
		{"members of kazoo: 1!", []string{hex + "__party__"}},
		{"lock of go-zookeeper: 1! 2", []string{"_c_" + hex + "-lock-0000000000", "_c_" + hex + "-lock-0000000001"}},
		{"election of Solr: 2! 1", []string{"72057594037927937-core_node4-n_0000000009",
			"72057594037927938-10.0.0.1:8983_solr-n_0000000003"}},
		{"members of Solr: 1!", []string{"10.0.0.1:8983_solr"}},
		{"members of HBase: 1! 2!", []string{"rs1.example.com,16020,1732500000000", "rs2.example.com,16020,1732500000001"}},
		{"election of ClickHouse: 1!", []string{"leader_election-0000000003"}},
		{"queue of ClickHouse: 0 0", []string{"log-0000000000!", "log-0000000001!"}},
		{"members of Kafka: 1! 2!", []string{"1", "2"}},
		{"lock of the ZooKeeper recipes: 1! 2", []string{"lock-0000000000", "lock-0000000001"}},
		{"lock of the ZooKeeper recipes: 1!, and 1 others", []string{"lock-0000000000", "fence!"}},
		{"lock of zkviz: 1! 2", []string{"lock-100001f2a-0000000007", "lock-100001f2b-0000000008"}},
		{"read-write of zkviz: r1! r2! 3", []string{"read-1a-0000000000", "read-1b-0000000001", "write-1c-0000000002"}},
		{"permits of zkviz: 1! 2!", []string{"lease-1a-0000000000", "lease-1b-0000000001"}},
		{"queue of zkviz: 0", []string{"item-000000001500-0000000000!"}},
		// A persistent znode without a session has its place in a line, and lets nobody in.
		{"lock of the ZooKeeper recipes: 0 2 3", []string{"lock-0000000000!", "lock-0000000001", "lock-0000000002"}},
		{"queue of the ZooKeeper recipes: 0", []string{"item-0000000000!"}},
		// A parent's counter is a signed 32-bit number and can overflow.
		{"lock of the ZooKeeper recipes: 2! 1", []string{"lock-2147483647", "lock--2147483647"}},
	} {
		if got := text(naming.Of(children(c.names...), naming.Door{}, false)); got != c.want {
			t.Errorf("%q are\n%s, not\n%s", c.names, got, c.want)
		}
	}
	for _, names := range [][]string{nil, {"config!", "data!"}, {"a", "b", "lock-0000000000"}} {
		if g := naming.Of(children(names...), naming.Door{}, false); g.Whose != "" {
			t.Errorf("%q are taken for %s", names, text(g))
		}
	}
}

// TestWaiting tells who waits for whom: a client for the one ahead, a reader for the last writer ahead.
func TestWaiting(t *testing.T) {
	for want, names := range map[string][]string{
		"-1 0 1":      {"lock-0000000000", "lock-0000000001", "lock-0000000002"},
		"-1 -1 1 2 3": {"read-0000000000", "read-0000000001", "write-0000000002", "write-0000000003", "read-0000000004"},
		"-1 0 0":      {"write-0000000000", "read-0000000001", "read-0000000002"},
		"-1 -1":       {"item-0000000000!", "item-0000000001!"},
		"-1 -1 -1":    {"1", "2", "3"},
		"-1 0 1 2":    {"n_0000000000", "n_0000000001", "n_0000000002", "n_0000000003"},
	} {
		g := naming.Of(children(names...), naming.Door{}, false)
		got := ""
		for _, p := range g.Places {
			got += fmt.Sprint(p.After, " ")
		}
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("%q wait for %s, not for %s", names, got, want)
		}
	}
}

// TestMany recognizes thousands, despite a few other names among them, in time that grows with their number.
func TestMany(t *testing.T) {
	var names []string
	for i := range 2000 {
		switch {
		case i%100 == 7:
			names = append(names, fmt.Sprintf("other-%d", i))
		default:
			names = append(names, fmt.Sprintf("%s__lock__%010d", hex, i))
		}
	}
	g := naming.Of(children(names...), naming.Door{}, false)
	if g.Use != naming.Lock || g.Whose != "kazoo" || len(g.Places) != 1980 || g.Others != 20 {
		t.Errorf("%s of %s, %d places, %d others", g.Use, g.Whose, len(g.Places), g.Others)
	}
}

// BenchmarkOf has two thousand children of one convention.
func BenchmarkOf(b *testing.B) {
	var names []string
	for i := range 2000 {
		names = append(names, fmt.Sprintf("_c_%s-lock-%010d", uuid, i))
	}
	list := children(names...)
	for b.Loop() {
		naming.Of(list, naming.Door{}, false)
	}
}

// TestByNumber: if no known recipe uses the names, numbered ephemeral znodes stand in line, unless more are persistent.
func TestByNumber(t *testing.T) {
	for want, names := range map[string][]string{
		" of : 2! 1":                   {"zz0000000002", "zz0000000001"},
		" of : 1!, and 2 others":       {"zz0000000002", "config!", "zz0000000001!"},
		"queue of : 0 0, and 1 others": {"zz0000000002!", "zz0000000003!", "zz0000000001"},
		" of :, and 1 others":          {"config!"},
		" of :":                        nil,
	} {
		if got := text(naming.Of(children(names...), naming.Door{}, false)); got != want {
			t.Errorf("%q are %q, not %q", names, got, want)
		}
	}
}
