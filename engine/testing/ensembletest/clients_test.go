package ensembletest

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/testing/clienttest"
)

// outliver is a client with its own ephemeral znode and the list of all servers.
type outliver interface {
	// write changes the znode and retries as often as necessary.
	write()
	// look reports whether the znode exists and its session is still the one that created it.
	look() bool
}

// clients checks that the sessions of common clients survive a leader's crash and the partition of the next leader,
// with their znodes.
func clients(l *lab) {
	t := l.t
	var all string
	for _, n := range l.all() {
		all += "," + l.addr(n)
	}
	all = all[1:]
	outlivers := map[string]outliver{"go-zookeeper": newGo(t, all)}
	add := func(c clienttest.Client, start func() outliver) {
		if err := c.Find(); err == nil {
			outlivers[c.Name] = start()
		} else if os.Getenv("CI") != "" {
			t.Error(err)
		} else {
			t.Logf("%s is left out: %v", c.Name, err)
		}
	}
	add(clienttest.Kazoo, func() outliver {
		return newProgram(t, clienttest.Kazoo, "testdata/outlive.py", all, "/kazoo")
	})
	add(clienttest.Curator, func() outliver {
		return newProgram(t, clienttest.Curator, "testdata/Outlive.java", all, "/curator")
	})
	add(clienttest.ZkCli, func() outliver {
		return newCommandLine(t, "create -e /zkcli x", "set -s /zkcli again", "dataVersion = ", "stat /zkcli",
			clienttest.ZkCli, "-timeout", "60000", "-server", all)
	})
	add(clienttest.CliMT, func() outliver {
		return newCommandLine(t, "create +e /climt", "set /climt again", "/climt: rc = 0", "get /climt",
			clienttest.CliMT, "-h", all)
	})
	together := func(do func(name string, c outliver)) {
		var working sync.WaitGroup
		for name, c := range outlivers {
			working.Go(func() { do(name, c) })
		}
		working.Wait()
	}
	write := func(string, outliver) {}
	write = func(_ string, c outliver) { c.write() }
	together(write)

	first := l.leader()
	l.crash(first)
	together(write)
	l.start(first)
	l.begin()
	second := l.leader()
	l.isolate(second)
	l.awaitLeader(second)
	together(write)
	l.heal()
	l.begin()
	together(write)
	together(func(name string, c outliver) {
		if !c.look() {
			t.Errorf("%s has lost its session, or what it owned", name)
		}
	})
}

// viaGo is a go-zookeeper client.
type viaGo struct {
	t       *testing.T
	conn    *zk.Conn
	session int64
}

func newGo(t *testing.T, all string) outliver {
	t.Helper()
	conn, _, err := zk.Connect(strings.Split(all, ","), time.Minute, zk.WithLogger(quiet{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if _, err := conn.Create("/go", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	return &viaGo{t, conn, conn.SessionID()}
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

func (g *viaGo) write() {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		_, err := g.conn.Set("/go", []byte("again"), -1)
		if err == nil || errors.Is(err, zk.ErrSessionExpired) {
			return
		}
	}
	g.t.Error("go-zookeeper could not write")
}

func (g *viaGo) look() bool {
	there, stat, err := g.conn.Exists("/go")
	return err == nil && there && stat.EphemeralOwner == g.session && g.conn.SessionID() == g.session
}

// program is a client program that takes commands.
type program struct{ *clienttest.Program }

func newProgram(t *testing.T, c clienttest.Client, args ...string) outliver {
	t.Helper()
	p := clienttest.Start(t, c.Command(t.Context(), args...))
	p.Hear("ready")
	return program{p}
}

func (p program) write() {
	p.Tell("write")
	p.Hear("wrote")
}

func (p program) look() bool {
	p.Tell("look")
	said, _ := p.Hear("mine", "lost")
	return said == "mine"
}

// commandLine is one of ZooKeeper's own command lines, which never retry.
type commandLine struct {
	t *testing.T
	*clienttest.Program
	set, done, get string
	owner          string // the line that names the znode's owner
}

func newCommandLine(t *testing.T, create, set, done, get string, of clienttest.Client, args ...string) outliver {
	t.Helper()
	c := &commandLine{t: t, Program: clienttest.Start(t, of.Command(t.Context(), args...)), set: set, done: done, get: get}
	c.Hear("state:SyncConnected", "Got a new session id")
	c.Tell(create)
	c.Hear("Created /", "rc = 0")
	c.owner = c.ask()
	return c
}

func (c *commandLine) write() {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		c.Tell(c.set)
		if said, _ := c.Hear(c.done, "rc = -", "Error -", "ConnectionLoss", "Session expired"); said == c.done {
			return
		}
	}
	c.t.Errorf("%q could not be done", c.set)
}

func (c *commandLine) ask() string {
	c.Tell(c.get)
	_, line := c.Hear("ephemeralOwner = ", "rc = -", "Error -", "does not exist")
	return line
}

func (c *commandLine) look() bool {
	return strings.Contains(c.owner, "ephemeralOwner = ") && c.ask() == c.owner
}
