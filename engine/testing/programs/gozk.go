package programs

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
)

// goClients runs clients of go-zookeeper in a program of its own, with the same protocol as the programs in testdata.
type goClients struct {
	servers []string
	session time.Duration
	mu      sync.Mutex
	out     io.Writer
	conns   map[string]*zk.Conn
	visits  map[string]chan string
}

// variable tells a test's binary to be clients of go-zookeeper: it holds their servers and their sessions' timeout.
const variable = "ZKVIZ_TEST_GO_CLIENTS"

// Main is the program with go-zookeeper's clients if Start has started this process as one. Then it doesn't return.
func Main() {
	servers, timeout, is := strings.Cut(os.Getenv(variable), " ")
	if !is {
		return
	}
	session, err := time.ParseDuration(timeout)
	if err == nil {
		err = beGoClients(servers, session, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "programs:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func beGoClients(servers string, session time.Duration, in io.Reader, out io.Writer) error {
	g := &goClients{servers: strings.Split(servers, ","), session: session, out: out, conns: map[string]*zk.Conn{},
		visits: map[string]chan string{}}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if f[0] == "close" {
			if conn := g.conns[f[1]]; conn != nil {
				conn.Close()
			}
			delete(g.conns, f[1])
			g.say("-", "-", f[1], 0, Closed)
			continue
		}
		key := f[1] + f[3]
		if g.visits[key] == nil {
			if g.conns[f[1]] == nil {
				conn, err := g.connect(f[1])
				if err != nil {
					return err
				}
				g.conns[f[1]] = conn
			}
			g.visits[key] = make(chan string, 10)
			go g.visit(f[1], f[2], f[3], g.conns[f[1]], g.visits[key])
		}
		g.visits[key] <- f[0]
	}
	for _, conn := range g.conns {
		conn.Close()
	}
	return lines.Err()
}

// connect returns once the client has a session. It reports each session that the client gets.
func (g *goClients) connect(client string) (*zk.Conn, error) {
	var from sync.Map // at 0, the address of the last connection
	conn, events, err := zk.Connect(g.servers, g.session, zk.WithLogger(quiet{}),
		zk.WithDialer(func(network, addr string, limit time.Duration) (net.Conn, error) {
			c, err := net.DialTimeout(network, addr, limit)
			if err == nil {
				from.Store(0, c.LocalAddr())
			}
			return c, err
		}))
	if err != nil {
		return nil, err
	}
	has := make(chan struct{})
	go func() {
		first := has
		for e := range events {
			if e.State != zk.StateHasSession {
				continue
			}
			addr, _ := from.Load(0)
			g.say("-", "-", client, conn.SessionID(), Opened, addr)
			if first != nil {
				close(first)
				first = nil
			}
		}
	}()
	<-has
	return conn, nil
}

func (g *goClients) say(recipe, path, client string, session int64, e Event, more ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	fmt.Fprintf(g.out, "%d %s %s %s %#x %s %s", time.Now().UnixMilli(), recipe, path, client, uint64(session), e,
		fmt.Sprintln(more...))
}

func (g *goClients) visit(client, recipe, path string, conn *zk.Conn, todo <-chan string) {
	l := zk.NewLock(conn, path, zk.WorldACL(zk.PermAll))
	for verb := range todo {
		begins, ends, do := Waits, Got, l.Lock
		if verb == "release" {
			begins, ends, do = Leaves, Left, l.Unlock
		}
		g.say(recipe, path, client, conn.SessionID(), begins)
		if err := do(); err != nil {
			g.say(recipe, path, client, conn.SessionID(), Failed, err)
			continue
		}
		g.say(recipe, path, client, conn.SessionID(), ends)
	}
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
