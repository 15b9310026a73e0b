package sqlconform_test

import (
	"flag"
	"testing"

	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/mysql"
	"github.com/zkviz/zkviz/engine/stores/sql/pg"
	"github.com/zkviz/zkviz/engine/testing/sqlconform"
	"github.com/zkviz/zkviz/engine/testing/sqltest"
)

var (
	statements = flag.Int("statements", 600, "how many statements are played on both")
	quick      = flag.Bool("failing", false, "stop at the first difference, and do not make its script smaller")
	first      = flag.Uint64("first", 1, "the first script's seed")
	postgresAt = flag.String("postgres", "", "the URL of a PostgreSQL that nobody else uses, instead of one of its own")
	mariadbAt  = flag.String("mariadb", "", "host:port of a MariaDB that nobody else uses, instead of one of its own")
)

// steps is the length of a script.
const steps = 30

// TestPostgres plays scripts on the simulated PostgreSQL and on a real one.
func TestPostgres(t *testing.T) {
	cfg := pg.Config{URL: *postgresAt, Schema: "run_1"}
	if cfg.URL == "" {
		cfg = sqltest.Postgres(t, sqlconform.PostgresSettings...)
	}
	real, err := sqlconform.Postgres(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close()
	compare(t, sql.Postgres, real)
}

// TestMariaDB plays scripts on the simulated InnoDB and on a real MariaDB.
func TestMariaDB(t *testing.T) {
	cfg := mysql.Config{Addr: *mariadbAt, User: "root", Database: "run_1"}
	if cfg.Addr == "" {
		cfg = sqltest.MariaDB(t)
	}
	real, err := sqlconform.MariaDB(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close()
	compare(t, sql.MySQL, real)
}

func compare(t *testing.T, d sql.Dialect, real sqlconform.Target) {
	for seed := *first; int(seed-*first)*steps < *statements; seed++ {
		script := sqlconform.Generate(d, seed, steps)
		found, err := sqlconform.Play(script, d, real)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if found == nil {
			continue
		}
		if *quick {
			t.Fatalf("seed %d, step %d:\n  simulated %s\n  real      %s", seed, found.Step+1, found.Simulated, found.Real)
		}
		small, left, err := sqlconform.Shrink(script, d, real)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if left == nil {
			t.Errorf("seed %d, once only, step %d:\n  simulated %s\n  real      %s\n%s", seed, found.Step+1, found.Simulated,
				found.Real, sqlconform.Show(script[:found.Step+1], d, &sqlconform.Simulated{Dialect: d}))
			continue
		}
		t.Fatalf("seed %d, step %d:\n  simulated %s\n  real      %s\n%s", seed, left.Step+1, left.Simulated, left.Real,
			sqlconform.Show(small, d, real))
	}
}
