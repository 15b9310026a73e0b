package main

import (
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// inside starts an embedded ZooKeeper and a client of it, until the test ends.
func inside(t *testing.T) (addr string, conn *zk.Conn) {
	t.Helper()
	server, err := embed.Listen(embed.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() }) // it keeps nothing
	addr = server.Addr().String()
	conn, _, err = zk.Connect([]string{addr}, time.Minute, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return addr, conn
}
