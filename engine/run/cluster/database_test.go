package cluster_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/cluster"
)

// TestDatabase: which of the named databases a recipe runs on, whether it runs there, and what its log says about it.
func TestDatabase(t *testing.T) {
	t.Parallel()
	const none = event.SystemKind("")
	urls := map[event.SystemKind]string{event.PostgresSystem: "postgres://me@127.0.0.1:1/x",
		event.MySQLSystem: "mysql://me@127.0.0.1:1", event.RedisSystem: "127.0.0.1:1"}
	for _, c := range []struct {
		named           []event.SystemKind
		said, runs, log event.SystemKind
	}{
		{[]event.SystemKind{event.PostgresSystem}, none, event.PostgresSystem, event.PostgresSystem},
		{[]event.SystemKind{event.MySQLSystem}, none, event.MySQLSystem, event.MySQLSystem},
		{[]event.SystemKind{event.MySQLSystem, event.PostgresSystem}, none, event.PostgresSystem, event.PostgresSystem},
		{[]event.SystemKind{event.MySQLSystem, event.PostgresSystem}, event.MySQLSystem, event.MySQLSystem,
			event.MySQLSystem},
		{[]event.SystemKind{event.MySQLSystem}, event.PostgresSystem, none, event.PostgresSystem},
		{[]event.SystemKind{event.PostgresSystem}, event.MySQLSystem, none, event.MySQLSystem},
		{[]event.SystemKind{event.RedisSystem}, none, none, event.PostgresSystem},
	} {
		there := cluster.Cluster{Elsewhere: cluster.Elsewhere{}}
		for _, kind := range c.named {
			if err := there.Elsewhere.Add(kind, urls[kind], noEnvironment); err != nil {
				t.Fatal(err)
			}
		}
		s := run.Scenario{Recipe: "db-for-update", Database: c.said}.WithDefaults()
		want := []string(nil)
		if c.runs != none {
			want = there.Elsewhere.Addresses(c.runs)
		}
		if got := there.Where(s); len(got) != len(want) || len(got) == 1 && got[0] != want[0] {
			t.Errorf("%v named, %q said: it runs at %q, want %q", c.named, c.said, got, want)
		}
		if err := there.Takes(s); (err == nil) != (c.runs != none) || there.Has(s) != (c.runs != none) {
			t.Errorf("%v named, %q said: %v", c.named, c.said, err)
		}
		if got := there.Header(there.Place(s)).Systems[0].Kind; got != c.log {
			t.Errorf("%v named, %q said: the log says %s, want %s", c.named, c.said, got, c.log)
		}
	}
}
