package live_test

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// TestMain lets many tests run at the same time: they wait far longer than they compute. This program also serves as
// the process of a run that is to be killed.
func TestMain(m *testing.M) {
	if root := os.Getenv(doomedRoot); root != "" {
		runDoomed(os.Getenv(doomedServer), root)
		return
	}
	must(0, flag.Set("test.parallel", "16"))
	os.Exit(m.Run())
}

var anyone = zk.WorldACL(zk.PermAll)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// direct returns a plain client with a session, to look at the server from outside and to interfere with it.
func direct(t *testing.T, srv *zktest.Server) *zk.Conn {
	t.Helper()
	conn, _, err := zk.Connect([]string{srv.Addr}, zktest.MaxSession, zk.WithLogInfo(false), zk.WithLogger(quiet{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	for end := time.Now().Add(longest); conn.State() != zk.StateHasSession; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("there is no session")
		}
	}
	return conn
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// absent fails if there is a znode at path, or a sibling whose name begins like it.
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
