package cluster_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/stores/sql/mysql"
	"github.com/zkviz/zkviz/engine/testing/sqltest"
	"github.com/zkviz/zkviz/recipes"
)

// TestOnDatabases runs the catalogue's recipes with tables on a real PostgreSQL and on a real MariaDB.
func TestOnDatabases(t *testing.T) {
	t.Parallel()
	for kind, start := range map[event.SystemKind]func(*testing.T) string{
		event.PostgresSystem: startPostgres, event.MySQLSystem: startMariaDB,
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			there := on(t, kind, start(t))
			for _, r := range recipes.All() {
				if run.Database(r) != "" {
					t.Run(r.Name, func(t *testing.T) { t.Parallel(); calmOnDatabase(t, there, r) })
				}
			}
			if kind == event.MySQLSystem {
				t.Run("crowd", func(t *testing.T) { t.Parallel(); crowdOnInnoDB(t, there) })
			}
			t.Run("frozen", func(t *testing.T) { t.Parallel(); frozenTransaction(t, there) })
			t.Run("frozen with a lease", func(t *testing.T) { t.Parallel(); frozenLease(t, there) })
			t.Run("crashed", func(t *testing.T) { t.Parallel(); crashedOnDatabase(t, there) })
		})
	}
}

// startPostgres starts a PostgreSQL in which nothing may be left at the end.
func startPostgres(t *testing.T) string {
	cfg := sqltest.SharedPostgres(t)
	t.Cleanup(func() {
		c, err := pgconn.Connect(context.Background(), cfg.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close(context.Background()) }()
		const names = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'zkviz%'"
		results, err := c.Exec(context.Background(), names).ReadAll()
		if err != nil || len(results[0].Rows) > 0 {
			t.Errorf("left behind: %v, %v", results, err)
		}
	})
	return cfg.URL
}

func startMariaDB(t *testing.T) string {
	cfg := sqltest.MariaDB(t)
	t.Cleanup(func() {
		c, err := mysql.Open(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		names, err := c.Query("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME LIKE 'zkviz%'")
		if err != nil || len(names) > 0 {
			t.Errorf("left behind: %q, %v", names, err)
		}
	})
	return "mysql://root@" + cfg.Addr
}

// calmOnDatabase runs a recipe without faults. A correct one keeps its promises; a pitfall may.
func calmOnDatabase(t *testing.T, there cluster.Cluster, r recipe.Recipe) {
	log := play(t, there, run.Scenario{Recipe: r.Name, Clients: max(3, r.MinClients), Rounds: 2,
		SessionTimeout: 20 * time.Second, Hold: 30 * time.Millisecond})
	if v := verdict(log).Violations; r.Kind == recipe.Right && len(v) > 0 {
		t.Errorf("broken: %+v", v)
	}
	endedWell(t, log)
}

func endedWell(t *testing.T, log *event.Log) {
	t.Helper()
	if last := log.Events[len(log.Events)-1]; last.Reason != event.EndAllDone {
		t.Errorf("it ended because of %v", last.Reason)
	}
}

// whenInside plays a scenario with a fault on a client once it is inside.
func whenInside(t *testing.T, there cluster.Cluster, s run.Scenario, f fault.Fault) *event.Log {
	t.Helper()
	return whenSo(t, there, s, f, func() func(event.Event) bool {
		return func(e event.Event) bool { return e.Actor == event.Actor(f.Client) && isHolding(e) }
	})
}

// tries is how often a scenario is repeated until its timing works out on a busy machine. Each try takes twice as long.
const tries = 5

// whenSo plays a scenario with a fault on a client once an event satisfies so. It plays it again if the fault came
// too late, when the client had got further, or never, since a lease had ended before.
func whenSo(t *testing.T, there cluster.Cluster, s run.Scenario, f fault.Fault, so func() func(event.Event) bool,
) *event.Log {
	t.Helper()
	for range tries {
		if log, late := tryWhenSo(t, there, s, f, so()); !late {
			return log
		}
		s.Hold, s.SessionTimeout, f.For = 2*s.Hold, 2*s.SessionTimeout, 2*f.For
	}
	t.Fatalf("it is always done too late, or never: %s", f)
	return nil
}

func tryWhenSo(t *testing.T, there cluster.Cluster, s run.Scenario, f fault.Fault, so func(event.Event) bool,
) (log *event.Log, late bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	s = there.Place(s.WithDefaults())
	log = &event.Log{Header: there.Header(s)}
	inject := make(chan fault.Fault, 1)
	asked, done := false, false
	sink := onEvent(func(e event.Event) {
		log.Append(e)
		switch {
		case e.Kind == event.FaultInjected:
			done = true
		case !asked && so(e):
			inject <- f
			asked = true
		case asked && !done && e.Kind == event.RecipePhase && int(e.Actor) == f.Client:
			late = true
		}
	})
	if err := there.Run(ctx, s, sink, inject); err != nil {
		t.Fatal(err)
	}
	return log, late || !done
}

// whileFrozen plays a scenario in which the holder is frozen once it is inside, for that many times the life of
// what it holds. It plays it again if nobody else came to get in meanwhile.
func whileFrozen(t *testing.T, there cluster.Cluster, s run.Scenario, times time.Duration) (log *event.Log) {
	t.Helper()
	for range tries {
		log = whenInside(t, there, s, fault.Fault{Kind: fault.Pause, Client: 1, For: times * s.SessionTimeout})
		frozen := false
		for _, e := range log.Events {
			switch {
			case e.Kind == event.ClientPaused || e.Kind == event.ClientResumed:
				frozen = e.Kind == event.ClientPaused
			case frozen && isHolding(e):
				return log
			}
		}
		s.SessionTimeout *= 2
	}
	return log
}

func isHolding(e event.Event) bool {
	return e.Kind == event.RecipePhase && program.Phase(e.Text) == program.Holding
}

// frozenTransaction freezes the client that has a row locked: nobody else gets in, however long it takes, and
// everything continues afterwards.
func frozenTransaction(t *testing.T, there cluster.Cluster) {
	log := whenInside(t, there, run.Scenario{Recipe: "db-for-update", Clients: 3, SessionTimeout: time.Second,
		Hold: 300 * time.Millisecond}, fault.Fault{Kind: fault.Pause, Client: 1, For: 4 * time.Second})
	endedWell(t, log)
	for _, v := range verdict(log).Violations {
		t.Errorf("broken: %+v", v)
	}
	entered, frozen := 0, false
	for _, e := range log.Events {
		switch {
		case e.Kind == event.ClientPaused:
			frozen = true
		case e.Kind == event.ClientResumed:
			frozen = false
		case isHolding(e):
			entered++
			if frozen {
				t.Errorf("client-%d got in at %s", e.Actor, e.At)
			}
		}
	}
	if entered != 3 {
		t.Errorf("%d got in", entered)
	}
}

// frozenLease freezes a client for longer than its lease: two believe that they are inside, and only one is.
func frozenLease(t *testing.T, there cluster.Cluster) {
	log := whileFrozen(t, there, run.Scenario{Recipe: "db-lease-row", Clients: 2, SessionTimeout: 2 * time.Second,
		Hold: 500 * time.Millisecond}, 3)
	endedWell(t, log)
	var broken []string
	for _, v := range verdict(log).Violations {
		broken = append(broken, v.Rule)
	}
	if !slices.Equal(broken, []string{promise.BeliefExclusion}) {
		t.Errorf("broken are %q", broken)
	}
}

// crowdOnInnoDB makes many clients insert the same row over and over, while one after the other deletes it. InnoDB
// finds deadlocks then, and nobody gives up because of them.
func crowdOnInnoDB(t *testing.T, there cluster.Cluster) {
	there.AtOnce = true
	log := play(t, there, run.Scenario{Recipe: "db-unique-row", Clients: 60, Rounds: 2, Hold: time.Millisecond,
		Stagger: run.Together})
	endedWell(t, log)
	for _, v := range verdict(log).Violations {
		t.Errorf("broken: %+v", v)
	}
}

// crashedOnDatabase crashes the client that has a row locked: the row is free, and the others get in.
func crashedOnDatabase(t *testing.T, there cluster.Cluster) {
	log := whenInside(t, there, run.Scenario{Recipe: "db-for-update", Clients: 3, Hold: 300 * time.Millisecond},
		fault.Fault{Kind: fault.Crash, Client: 1})
	endedWell(t, log)
	for _, v := range verdict(log).Violations {
		t.Errorf("broken: %+v", v)
	}
	entered := 0
	for _, e := range log.Events {
		if isHolding(e) {
			entered++
		}
	}
	if entered != 3 {
		t.Errorf("%d got in", entered)
	}
}
