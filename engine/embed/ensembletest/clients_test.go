package ensembletest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

// outliver is a client with an ephemeral znode of its own, and the list of all servers.
type outliver interface {
	// write changes the znode, however often that has to be tried.
	write()
	// look reports whether the znode is there, and its session the one that has made it.
	look() bool
}

// clients is what the clients that people use make of it when the leader crashes, and the next is cut off: their
// sessions go on, with what they own.
func clients(t *testing.T, l *lab) {
	var all string
	for _, n := range l.all() {
		all += "," + l.addr(n)
	}
	all = all[1:]
	const jars = "/usr/share/java/curator-recipes.jar:/usr/share/java/slf4j-nop.jar"
	outlivers := map[string]outliver{"go-zookeeper": newGo(t, all)}
	add := func(name, file, packages string, start func() outliver) {
		if _, err := os.Stat(file); err == nil {
			outlivers[name] = start()
		} else if os.Getenv("CI") != "" {
			t.Errorf("there is no %s (Debian: apt install %s)", file, packages)
		} else {
			t.Logf("%s is left out: there is no %s (Debian: apt install %s)", name, file, packages)
		}
	}
	add("kazoo", "/usr/lib/python3/dist-packages/kazoo", "python3-kazoo", func() outliver {
		return newProgram(t, "/usr/bin/python3", "-B", "testdata/outlive.py", all, "/kazoo")
	})
	add("Curator", "/usr/share/java/curator-recipes.jar", "libcurator-recipes-java default-jdk-headless", func() outliver {
		return newProgram(t, "java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", jars, "testdata/Outlive.java", all,
			"/curator")
	})
	add("zkCli.sh", "/usr/share/zookeeper/bin/zkCli.sh", "zookeeper", func() outliver {
		return newCommandLine(t, "create -e /zkcli x", "set -s /zkcli again", "dataVersion = ", "stat /zkcli",
			"/usr/share/zookeeper/bin/zkCli.sh", "-timeout", "60000", "-server", all)
	})
	add("cli_mt", "/usr/lib/zookeeper/bin/cli_mt", "zookeeper-bin", func() outliver {
		return newCommandLine(t, "create +e /climt", "set /climt again", "/climt: rc = 0", "get /climt",
			"/usr/lib/zookeeper/bin/cli_mt", "-h", all)
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

// viaGo is go-zookeeper.
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

// program is a client that runs by itself, and is told line by line what to do.
type program struct {
	t    *testing.T
	in   io.Writer
	said chan string
}

func newProgram(t *testing.T, name string, args ...string) *program {
	t.Helper()
	cmd := exec.Command(name, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	cmd.Env = append(cmd.Environ(), "JVMFLAGS=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, in: in, said: make(chan string, 1000)}
	go func() {
		defer close(p.said)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.said <- strings.TrimSpace(lines.Text())
		}
	}()
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		for range p.said { // the last words of a program that is killed
		}
		_ = cmd.Wait()
	})
	if strings.HasSuffix(args[0], ".sh") || strings.Contains(name, "/bin/") && !strings.Contains(name, "python") {
		return p // it says so in its own way
	}
	p.hears("ready")
	return p
}

func (p *program) tell(line string) { _, _ = fmt.Fprintln(p.in, line) } // if it has ended, it says nothing more

// hears waits for a line with one of these, and returns which.
func (p *program) hears(any ...string) string {
	which, _ := p.hear(any...)
	return which
}

// hear returns also the line.
func (p *program) hear(any ...string) (which, line string) {
	late := time.After(patience)
	for {
		select {
		case line, ok := <-p.said:
			for _, want := range any {
				if strings.Contains(line, want) {
					return want, line
				}
			}
			if !ok {
				p.t.Errorf("it has ended, and should still have said one of %q", any)
				return "", ""
			}
		case <-late:
			p.t.Errorf("it does not say one of %q", any)
			return "", ""
		}
	}
}

func (p *program) write() {
	p.tell("write")
	p.hears("wrote")
}

func (p *program) look() bool {
	p.tell("look")
	return p.hears("mine", "lost") == "mine"
}

// commandLine is one of ZooKeeper's own, which tries nothing twice.
type commandLine struct {
	*program
	set, done, get string
	owner          string // the line that says whose the znode is
}

func newCommandLine(t *testing.T, create, set, done, get, name string, args ...string) outliver {
	t.Helper()
	c := &commandLine{program: newProgram(t, name, args...), set: set, done: done, get: get}
	c.hears("state:SyncConnected", "Got a new session id")
	c.tell(create)
	c.hears("Created /", "rc = 0")
	c.owner = c.ask()
	return c
}

func (c *commandLine) write() {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		c.tell(c.set)
		if c.hears(c.done, "rc = -", "Error -", "ConnectionLoss", "Session expired") == c.done {
			return
		}
	}
	c.t.Errorf("%q could not be done", c.set)
}

func (c *commandLine) ask() string {
	c.tell(c.get)
	_, line := c.hear("ephemeralOwner = ", "rc = -", "Error -", "does not exist")
	return line
}

func (c *commandLine) look() bool {
	return strings.Contains(c.owner, "ephemeralOwner = ") && c.ask() == c.owner
}
