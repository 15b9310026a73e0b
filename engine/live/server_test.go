package live_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/live/zktest"
)

// direct is a plain client, to look at the server from outside and to meddle with it.
func direct(t *testing.T, srv *zktest.Server) *zk.Conn {
	t.Helper()
	conn, _, err := zk.Connect([]string{srv.Addr}, 5*time.Second, zk.WithLogInfo(false), zk.WithLogger(quiet{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// absent fails if there is anything at path, or beside it with that beginning.
func absent(t *testing.T, srv *zktest.Server, path string) {
	t.Helper()
	at := strings.LastIndexByte(path, '/')
	names, _, err := direct(t, srv).Children(path[:at])
	if err == zk.ErrNoNode {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasPrefix(name, path[at+1:]) {
			t.Errorf("%s/%s was left behind", path[:at], name)
		}
	}
}
