package realtime_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stores/etcd"
	etcdwire "github.com/zkviz/zkviz/engine/stores/etcd/wire"
	"github.com/zkviz/zkviz/engine/stores/redis"
	rediswire "github.com/zkviz/zkviz/engine/stores/redis/wire"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/daemon"
	"github.com/zkviz/zkviz/engine/testing/etcdtest"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/testing/redistest"
	"github.com/zkviz/zkviz/engine/testing/sqltest"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// BenchmarkTurn measures how long a client takes to get a free lock and give it back, on the real systems: as each is
// used, and those that write to a disk sync. Nobody else wants the lock. docs/other-systems.md has the ratios.
func BenchmarkTurn(b *testing.B) {
	if testing.Short() {
		b.Skip("starts a server for each row")
	}
	b.Run("Redis, in memory", func(b *testing.B) { turnsOnRedis(b) })
	b.Run("Redis, synced", func(b *testing.B) {
		turnsOnRedis(b, "--appendonly", "yes", "--appendfsync", "always")
	})
	b.Run("ZooKeeper", turnsOnZooKeeper)
	b.Run("etcd", turnsOnEtcd)
	for name, node := range map[string]func(root string) real.Node{
		"PostgreSQL": sqltest.Postgres(b, "fsync=on", "synchronous_commit=on", "full_page_writes=on").Node,
		"MariaDB":    sqltest.MariaDB(b, "--innodb-flush-log-at-trx-commit=1", "--innodb-flush-method=fsync").Node,
	} {
		dialect := map[bool]sql.Dialect{true: sql.Postgres, false: sql.MySQL}[name == "PostgreSQL"]
		b.Run(name+", a row", func(b *testing.B) { turns(b, node, dialect, rowTurn) })
		b.Run(name+", FOR UPDATE", func(b *testing.B) { turns(b, node, dialect, forUpdateTurn) })
	}
}

// measure runs a program on a node, which calls turn until that has been measured.
func measure(b *testing.B, node func(root string) real.Node, turn func(w systems.World) (func() error, error)) {
	var failed error
	_, err := run(node, func(w systems.World) error {
		once, err := turn(w)
		for err == nil && b.Loop() {
			err = once()
		}
		failed = err
		return err
	})
	if err := errors.Join(err, failed); err != nil {
		b.Fatal(err)
	}
}

// turns measures turns on a database.
func turns(b *testing.B, node func(root string) real.Node, d sql.Dialect, turn func(*sql.Client) error) {
	measure(b, node, func(w systems.World) (func() error, error) {
		c := sql.New(w.Connect(1), d)
		return func() error { return turn(c) }, c.Insert("seats", 3)
	})
}

func rowTurn(c *sql.Client) error {
	_, err := c.TryInsertLock("printer", "A")
	_, free := c.DeleteLock("printer", "A")
	return errors.Join(err, free)
}

func forUpdateTurn(c *sql.Client) error {
	err := c.Begin()
	_, _, read := c.ReadForUpdate("seats")
	_, end := c.Commit()
	return errors.Join(err, read, end)
}

func turnsOnRedis(b *testing.B, settings ...string) {
	a, err := rediswire.Parse(redistest.Start(b, settings...).Addr())
	if err != nil {
		b.Fatal(err)
	}
	var at string
	measure(b, func(root string) real.Node { at = root; return a.Node() },
		func(w systems.World) (func() error, error) {
			c := redis.New(w.Connect(1))
			return func() error {
				_, err := c.SetNXPX(at+"/lock", "token", time.Minute)
				_, free := c.CompareAndDelete(at+"/lock", "token")
				return errors.Join(err, free)
			}, nil
		})
}

func turnsOnEtcd(b *testing.B) {
	etcdtest.Need(b)
	cfg := etcdtest.Config()
	args := cfg.Arguments
	cfg.Arguments = func(port int, dir string) []string {
		return slices.DeleteFunc(args(port, dir), func(s string) bool { return s == "--unsafe-no-fsync" })
	}
	s, err := daemon.Start(cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	a, err := etcdwire.Parse(s.Addr())
	if err != nil {
		b.Fatal(err)
	}
	var at string
	measure(b, func(root string) real.Node { at = root; return a.Node() },
		func(w systems.World) (func() error, error) {
			c := etcd.New(w.Connect(1))
			lease, _, err := c.Grant(time.Minute)
			key := fmt.Sprintf("%s/queue/%x", at, int64(lease))
			return func() error {
				_, _, err := c.Queue(at+"/queue/", key, "A", lease)
				_, free := c.Delete(key)
				return errors.Join(err, free)
			}, err
		})
}

func turnsOnZooKeeper(b *testing.B) {
	zktest.Need(b)
	s, err := apache.Start(apache.Config{Fsync: true, Optimize: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	p, err := peer.Dial(s.Addr, wire.ConnectRequest{TimeoutMS: int32(time.Minute.Milliseconds()),
		Password: make([]byte, wire.PasswordBytes)})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Abort()
	ask := func(r wire.Request) wire.Response {
		reply, _, err := p.Do(r)
		if err != nil || reply.Code != zoo.OK {
			b.Fatalf("%+v: %v, %v", r, reply.Code, err)
		}
		return reply
	}
	ask(wire.Request{Op: wire.OpCreate, Path: "/lock", ACL: zoo.OpenACL()})
	for b.Loop() {
		mine := ask(wire.Request{Op: wire.OpCreate, Path: "/lock/n-", ACL: zoo.OpenACL(),
			Flags: int32(zoo.EphemeralSequential)}).Path
		ask(wire.Request{Op: wire.OpGetChildren, Path: "/lock"})
		ask(wire.Request{Op: wire.OpDelete, Path: mine, Version: -1})
	}
}
