// Package sqltest starts a real PostgreSQL and a real MariaDB for tests.
package sqltest

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	driver "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/mysql"
	"github.com/zkviz/zkviz/engine/stores/sql/pg"
	"github.com/zkviz/zkviz/engine/testing/daemon"
	"github.com/zkviz/zkviz/engine/testing/need"
)

// Password is the password of the user zk of a PostgreSQL that tests start.
const Password = "no secret"

// Postgres starts a PostgreSQL for the duration of the test, and creates the tables of a run. Settings are like
// "deadlock_timeout=10ms". Without PostgreSQL on the machine it skips the test, or fails it if the environment has CI
// set. With -short it skips the test, too: the servers for all tests of a run are enough then.
func Postgres(tb testing.TB, settings ...string) pg.Config {
	tb.Helper()
	cfg := pg.Config{URL: postgresURL(start(tb, PostgresServer(settings...)).Addr(), "postgres"), Schema: "run_1"}
	if err := OnPostgres(cfg, sql.Create(sql.Postgres, cfg.Schema)...); err != nil {
		tb.Fatal(err)
	}
	return cfg
}

func postgresURL(addr, database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword("zk", Password), Host: addr, Path: database,
		RawQuery: "sslmode=disable"}
	return u.String()
}

// MariaDB is Postgres for MariaDB. Settings are like "--innodb-lock-wait-timeout=1".
func MariaDB(tb testing.TB, settings ...string) mysql.Config {
	tb.Helper()
	cfg := mysql.Config{Addr: start(tb, MariaDBServer(settings...)).Addr(), User: "root", Database: "run_1"}
	if err := OnMariaDB(cfg, sql.Create(sql.MySQL, cfg.Database)...); err != nil {
		tb.Fatal(err)
	}
	return cfg
}

// OnPostgres executes statements.
func OnPostgres(cfg pg.Config, statements ...string) error {
	c, err := pgconn.Connect(context.Background(), cfg.URL)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(context.Background()) }()
	_, err = c.Exec(context.Background(), strings.Join(statements, ";")).ReadAll()
	return err
}

// OnMariaDB executes statements, outside the configured database.
func OnMariaDB(cfg mysql.Config, statements ...string) error {
	of := driver.NewConfig()
	of.Net, of.Addr, of.User = "tcp", cfg.Addr, cfg.User
	dialer, err := driver.NewConnector(of)
	if err != nil {
		return err
	}
	db := dbsql.OpenDB(dialer)
	defer func() { _ = db.Close() }()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return err
		}
	}
	return nil
}

// Environment variables that have the addresses of databases for all tests of a run. cmd/testbed sets them.
const (
	PostgresVariable = "ZKVIZ_TEST_POSTGRES"
	MariaDBVariable  = "ZKVIZ_TEST_MARIADB"
)

// databases counts the databases that tests have got on servers for all of a run.
var databases atomic.Int64

func newDatabase() string { return fmt.Sprintf("test_%d_%d", os.Getpid(), databases.Add(1)) }

// SharedPostgres is Postgres in a database of its own on the server for all tests of a run; where none runs, it starts
// one. Roles and settings are the server's: tests that change those start their own.
func SharedPostgres(tb testing.TB) pg.Config {
	tb.Helper()
	addr := os.Getenv(PostgresVariable)
	if addr == "" {
		return Postgres(tb)
	}
	name := newDatabase()
	if err := OnPostgres(pg.Config{URL: postgresURL(addr, "postgres")}, "CREATE DATABASE "+name); err != nil {
		tb.Fatal(err)
	}
	cfg := pg.Config{URL: postgresURL(addr, name), Schema: "run_1"}
	if err := OnPostgres(cfg, sql.Create(sql.Postgres, cfg.Schema)...); err != nil {
		tb.Fatal(err)
	}
	return cfg
}

// SharedMariaDB is SharedPostgres for MariaDB. Its locks with names are the server's.
func SharedMariaDB(tb testing.TB) mysql.Config {
	tb.Helper()
	addr := os.Getenv(MariaDBVariable)
	if addr == "" {
		return MariaDB(tb)
	}
	cfg := mysql.Config{Addr: addr, User: "root", Database: newDatabase()}
	if err := OnMariaDB(cfg, sql.Create(sql.MySQL, cfg.Database)...); err != nil {
		tb.Fatal(err)
	}
	return cfg
}

func start(tb testing.TB, cfg daemon.Config) *daemon.Server {
	tb.Helper()
	_, err := cfg.Find()
	need.Own(tb, "a database", err)
	s, err := daemon.Start(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

// PostgresServer returns the configuration that starts a PostgreSQL.
func PostgresServer(settings ...string) daemon.Config {
	return daemon.Config{
		Program: "postgres", Package: "postgresql-15", Folders: []string{"/usr/lib/postgresql/15/bin"},
		Before: func(dir string) (string, []string) {
			password := filepath.Join(dir, "password")
			_ = os.WriteFile(password, []byte(Password), 0o644) // initdb reports it if this fails
			return "initdb", []string{"-D", filepath.Join(dir, "data"), "-U", "zk", "--pwfile=" + password,
				"-A", "scram-sha-256", "-E", "UTF8", "--no-locale", "--no-sync", "--no-instructions"}
		},
		Arguments: func(port int, dir string) []string {
			args := []string{"-D", filepath.Join(dir, "data"), "-p", strconv.Itoa(port)}
			for _, s := range append([]string{"listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off",
				"full_page_writes=off", "synchronous_commit=off", "shared_buffers=16MB", "autovacuum=off"}, settings...) {
				args = append(args, "-c", s)
			}
			return args
		},
		Answers: func(addr string) error {
			c, err := pg.Open(context.Background(), pg.Config{URL: postgresURL(addr, "postgres")})
			if err == nil {
				c.Close()
			}
			return err
		},
	}
}

// MariaDBServer returns the configuration that starts a MariaDB.
func MariaDBServer(settings ...string) daemon.Config {
	return daemon.Config{
		Program: "mariadbd", Package: "mariadb-server-core", Folders: []string{"/usr/sbin"},
		Arguments: func(port int, dir string) []string {
			return append([]string{"--no-defaults", "--datadir=" + dir, "--skip-grant-tables", "--bind-address=127.0.0.1",
				"--port=" + strconv.Itoa(port), "--socket=" + filepath.Join(dir, "s"), "--innodb-buffer-pool-size=16M",
				"--innodb-log-file-size=8M", "--innodb-flush-log-at-trx-commit=0", "--innodb-flush-method=nosync",
				"--performance-schema=OFF"}, settings...)
		},
		Answers: func(addr string) error {
			c, err := mysql.Open(context.Background(), mysql.Config{Addr: addr, User: "root"})
			if err == nil {
				c.Close()
			}
			return err
		},
	}
}
