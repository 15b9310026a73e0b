package sqlconform_test

import (
	"flag"
	"testing"

	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/mysql"
	"github.com/zkviz/zkviz/engine/stores/sql/pg"
	"github.com/zkviz/zkviz/engine/testing/sqlconform"
	"github.com/zkviz/zkviz/engine/testing/sqltest"
	"github.com/zkviz/zkviz/engine/testing/versus"
)

var (
	postgresAt = flag.String("postgres", "", "the URL of a PostgreSQL that nobody else uses, instead of one of its own")
	mariadbAt  = flag.String("mariadb", "", "host:port of a MariaDB that nobody else uses, instead of one of its own")
)

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
	versus.Trial[sqlconform.Step]{
		Length: 30, Steps: 600,
		Draw: func(seed uint64, length int) []sqlconform.Step { return sqlconform.Generate(d, seed, length) },
		Play: func(script []sqlconform.Step) (*versus.Difference, error) { return sqlconform.Play(script, d, real) },
		Show: func(script []sqlconform.Step) string { return sqlconform.Show(script, d, real) },
	}.Run(t)
}
