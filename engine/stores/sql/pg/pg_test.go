package pg_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/pg"
	"github.com/zkviz/zkviz/engine/testing/port"
	"github.com/zkviz/zkviz/engine/testing/sqltest"
)

func open(t *testing.T, ctx context.Context, cfg pg.Config) *sql.Client {
	t.Helper()
	conn, err := pg.Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return sql.New(conn, sql.Postgres)
}

func TestPostgres(t *testing.T) {
	cfg := sqltest.Postgres(t)
	ctx := context.Background()

	t.Run("errors say what is wrong, and no password", func(t *testing.T) {
		_, server, _ := net.SplitHostPort(strings.Split(cfg.URL, "@")[1][:len("127.0.0.1:00000")])
		nobody := port.Addr(t)
		for url, want := range map[string]string{
			"postgres://zk:hunter2@127.0.0.1:" + server + "/postgres?sslmode=disable": "wrong password",
			strings.Replace(cfg.URL, "/postgres?", "/elsewhere?", 1):                  `no database "elsewhere"`,
			"postgres://zk:hunter2@" + nobody + "/postgres?sslmode=disable":           "cannot be reached",
			"postgres://zk:hunter2@no.such.host.invalid/postgres?sslmode=disable":     "cannot be reached",
			"postgres://zk:hunter2@127.0.0.1:x/postgres":                              "is invalid",
			"postgres://zk:hunter2@127.0.0.1:" + server + "/postgres?sslmode=require": "TLS",
		} {
			_, err := pg.Open(ctx, pg.Config{URL: url})
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") ||
				strings.Contains(err.Error(), sqltest.Password) {
				t.Errorf("%s: %v, want %s", url, err, want)
			}
		}
	})

	t.Run("the end of a connection", func(t *testing.T) {
		a, b := open(t, ctx, cfg), open(t, ctx, cfg)
		if err := errors.Join(a.Insert("s", 1), a.SetIdleTimeout(50*time.Millisecond), a.Begin()); err != nil {
			t.Fatal(err)
		}
		if got, err := a.Write("s", 2); !got || err != nil {
			t.Fatal(got, err)
		}
		// B waits for A, whose connection is closed for idleness.
		if row, there, err := b.ReadForUpdate("s"); row.N != 1 || !there || err != nil {
			t.Errorf("%v, %t, %v", row, there, err)
		}
		if _, err := a.Write("s", 3); !errors.Is(err, program.ErrLost) {
			t.Errorf("a statement of a transaction that is over: %v", err)
		}
		if done, err := a.Commit(); done || !errors.Is(err, program.ErrLost) {
			t.Errorf("its commit: %t, %v", done, err)
		}
		if row, _, err := a.Read("s"); row.N != 1 || err != nil || a.Opened() != 2 {
			t.Errorf("then: %v, %v, on connection %d", row, err, a.Opened())
		}
	})

	t.Run("notifications", func(t *testing.T) {
		a, b := open(t, ctx, cfg), open(t, ctx, cfg)
		if _, err := a.Do(sql.Call{Statement: sql.Listen, Row: "Released?"}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Next(time.Millisecond); !errors.Is(err, program.ErrTimeout) {
			t.Errorf("before: %v", err)
		}
		if err := b.Notify("Released?", "it's me"); err != nil {
			t.Fatal(err)
		}
		if got, err := a.Next(0); got != "it's me" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})

	t.Run("the end of the run", func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		a, b := open(t, ctx, cfg), open(t, ctx, cfg)
		if err := a.AdvisoryLock("k"); err != nil {
			t.Fatal(err)
		}
		over := make(chan error)
		go func() { over <- b.AdvisoryLock("k") }()
		cancel()
		if err := <-over; !errors.Is(err, program.ErrStopped) {
			t.Errorf("got %v", err)
		}
	})

	t.Run("all is gone with the schema", func(t *testing.T) {
		other := cfg
		other.Schema = `run "2"`
		err := errors.Join(sqltest.OnPostgres(other, sql.Create(sql.Postgres, other.Schema)...),
			open(t, ctx, other).Insert("s", 1), sqltest.OnPostgres(other, sql.Drop(sql.Postgres, other.Schema)))
		if err != nil {
			t.Fatal(err)
		}
		var e *sql.Error
		if _, _, err := open(t, ctx, other).Read("s"); !errors.As(err, &e) || e.State != "42P01" {
			t.Errorf("then: %v", err)
		}
	})
}
