package mysql_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/mysql"
	"github.com/zkviz/zkviz/engine/testing/port"
	"github.com/zkviz/zkviz/engine/testing/sqltest"
)

func open(t *testing.T, ctx context.Context, cfg mysql.Config) *sql.Client {
	t.Helper()
	conn, err := mysql.Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return sql.New(conn, sql.MySQL)
}

// refusing starts a server that replies to connections with an error.
func refusing(t *testing.T, number uint16, message string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			body := append([]byte{0xff, byte(number), byte(number >> 8)}, message...)
			_, _ = c.Write(append([]byte{byte(len(body)), 0, 0, 0}, body...))
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

func TestErrors(t *testing.T) {
	nobody := port.Addr(t)
	for addr, want := range map[string]string{
		refusing(t, 1045, "Access denied for user 'zk' (using password: hunter2)"): "wrong password",
		refusing(t, 1049, "Unknown database 'x'"):                                  `no database "x"`,
		refusing(t, 1040, "Too many connections"):                                  "raise its max_connections",
		nobody:                      "cannot be reached",
		"no.such.host.invalid:3306": "cannot be reached",
	} {
		_, err := mysql.Open(context.Background(), mysql.Config{Addr: addr, User: "zk", Password: "hunter2", Database: "x"})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %s", addr, err, want)
		}
	}
}

func TestMariaDB(t *testing.T) {
	cfg := sqltest.MariaDB(t)
	ctx := context.Background()

	t.Run("no such database", func(t *testing.T) {
		other := cfg
		other.Database = "elsewhere"
		if _, err := mysql.Open(ctx, other); err == nil || !strings.Contains(err.Error(), `no database "elsewhere"`) {
			t.Errorf("got %v", err)
		}
	})

	t.Run("the end of a connection", func(t *testing.T) {
		a, b := open(t, ctx, cfg), open(t, ctx, cfg)
		if err := errors.Join(a.Insert("s", 1), a.SetIdleTimeout(time.Second), a.Begin()); err != nil {
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

	t.Run("leases and quotes", func(t *testing.T) {
		a := open(t, ctx, cfg)
		const who = `it's a \ "client"`
		fence, err := a.TakeLease("lock", who, time.Minute)
		owner, _, _, err2 := a.LeaseOwner("lock")
		if fence != 1 || owner != who || err != nil || err2 != nil {
			t.Errorf("fence %d of %q, %v, %v", fence, owner, err, err2)
		}
		if fence, err := a.TakeLease("lock", "B", time.Minute); fence != 0 || err != nil {
			t.Errorf("for another: %d, %v", fence, err)
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

	t.Run("all is gone with the database", func(t *testing.T) {
		other := cfg
		other.Database = "run `2`"
		err := errors.Join(sqltest.OnMariaDB(other, sql.Create(sql.MySQL, other.Database)...),
			open(t, ctx, other).Insert("s", 1), sqltest.OnMariaDB(other, sql.Drop(sql.MySQL, other.Database)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := mysql.Open(ctx, other); err == nil {
			t.Error("it is there still")
		}
	})
}
