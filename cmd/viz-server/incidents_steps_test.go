package main

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/certtest"
	"github.com/zkviz/zkviz/engine/testing/programs"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// playing is an incident in progress.
type playing struct {
	*onCall
	t       *testing.T
	in      incident
	base    string // all of its znodes are below it
	running map[string]*programs.Program
	relays  map[string]*clientRelay
	conn    *zk.Conn       // our own connection
	secured string         // the address of the server that is this incident's own
	plain   string         // its address without TLS
	tls     []string       // the files of the authority and of the clients' certificate
	own     map[way]string // servers of pages of its own
	roles   map[string]int // the numbers of servers, by the names in patterns
}

// path returns the path of what programs contend for.
func (p *playing) path() string { return p.base + "/it" }

// named returns the path as programs and zkviz name it.
func (p *playing) named() string {
	if p.in.chroot {
		return "/it"
	}
	return p.path()
}

// zk returns the servers' connection string, with the chroot if there is one.
func (p *playing) zk() string {
	if p.in.chroot {
		return p.servers.ConnectString() + p.base
	}
	return cmp.Or(p.secured, p.servers.ConnectString())
}

// startSecure starts a server that accepts TLS, and connects without.
func (p *playing) startSecure() {
	ca := certtest.New(p.t)
	server, address := zktest.StartSecure(p.t, ca.Store(ca.Issue("server", "127.0.0.1")), ca.File)
	cert, key := ca.Issue("client")
	p.secured, p.plain, p.tls = address, server.Addr, []string{ca.File, cert, key}
	conn, _, err := zk.Connect([]string{server.Addr}, apache.MaxSession, zk.WithLogInfo(false))
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := conn.Create(incidentsAt, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(conn.Close)
	p.conn = conn
}

// program returns the program of a client, which is named after it without its number: j is Curator's that all
// incidents share, and every other is this incident's own. One whose name ends with t connects through the tap, with r
// from another host: through a relay to the first server.
func (p *playing) program(client string) *programs.Program {
	name := strings.TrimRight(client, "0123456789")
	if name == programs.Curator {
		return p.curator
	}
	if p.running[name] == nil {
		at := p.zk()
		switch name[1:] {
		case "t":
			at = p.tap
		case "r":
			p.relays[name] = newClientRelay(p.t, p.servers.Servers[0].Addr, "127.0.0.2")
			at = p.relays[name].addr()
		}
		p.running[name] = programs.Start(p.t, p.book, name[:1], at, p.in.timeout(name), p.tls...)
	}
	return p.running[name]
}

// step carries out one step and waits for its effect: "in k1 lock" until k1 is inside, "ask k1 lock" until it has a
// znode, "try k1 lock 300" until it gives up after that many ms, "leave k1 lock" until it has left, "close k1" until
// its session has ended, "got k1" until it is inside, "opened k1" until it has been connected once more. "pause kx",
// "kill kx", "cut kr", and "move kr" to another server and host are for programs. "nobody NAME" makes a znode of no
// session, and "crowd g lock" many locks. "lose leader", "lose another" and "return all" are for servers.
func (p *playing) step(words []string) {
	p.t.Helper()
	n, verb, who := p.book.Len(), words[0], words[1]
	if verb == "opened" { // once more, after it has lost its connection
		p.until(who+" is connected again", func() bool { return len(p.said(who, programs.Opened)) > 1 })
		return
	}
	tell := func(verb string, until ...programs.Event) {
		p.t.Helper()
		p.program(who).Tell(slices.Concat([]string{verb, p.full(who), words[2], p.named()}, words[3:])...)
		p.hears(n, who, until...)
	}
	switch verb {
	case "in":
		tell("acquire", programs.Got)
	case "ask":
		tell("acquire", programs.Waits)
		p.until(who+" has a znode", func() bool { return p.owns(p.base, p.session(who)) })
	case "try":
		tell("try", programs.GaveUp)
	case "leave":
		tell("release", programs.Left)
	case "close":
		p.program(who).Tell("close", p.full(who))
		p.hears(n, who, programs.Closed)
	case "got":
		p.hears(0, who, programs.Got)
	case "pause", "kill":
		signal := map[string]syscall.Signal{"pause": syscall.SIGSTOP, "kill": syscall.SIGKILL}
		if err := p.running[who].Signal(signal[verb]); err != nil {
			p.t.Fatal(err)
		}
	case "cut":
		p.relays[who].cut()
	case "move":
		p.relays[who].move(p.servers.Servers[1].Addr, "127.0.0.3")
	case "crowd":
		p.crowd(who, words[2])
	case "nobody":
		for _, path := range []string{p.path(), p.path() + "/" + who} {
			if _, err := p.conn.Create(path, nil, 0, zk.WorldACL(zk.PermAll)); err != nil && err != zk.ErrNodeExists {
				p.t.Fatal(err)
			}
		}
	default:
		p.serverStep(verb, who)
	}
}

// crowd has each of five clients of a program ask for each of many locks, and waits until all of them stand there.
func (p *playing) crowd(who, recipe string) {
	const each = 5
	for i := range each {
		for k := range crowdedLocks {
			client := who + string(rune('1'+i))
			p.program(client).Tell("acquire", p.full(client), recipe, fmt.Sprintf("%s-%03d", p.path(), k))
		}
	}
	p.until("all have asked", func() bool {
		n, in := 0, 0
		for _, l := range p.book.All() {
			if strings.HasPrefix(l.Path, p.path()+"-") && l.Event == programs.Waits {
				n++
			}
			if strings.HasPrefix(l.Path, p.path()+"-") && l.Event == programs.Got {
				in++
			}
		}
		return n == each*crowdedLocks && in == crowdedLocks
	})
}

// crowdedLocks is how many locks the incident with many has.
const crowdedLocks = 300

// hears waits until a client has said one of some events, from the nth line on.
func (p *playing) hears(n int, who string, any ...programs.Event) {
	p.t.Helper()
	p.until(who+" says one of "+string(any[0]), func() bool {
		lines, _ := p.book.From(n)
		for _, l := range lines {
			if l.Client == p.full(who) && l.Event == programs.Failed && any[0] != programs.Closed { // it may have waited
				p.t.Fatalf("%s has failed: %v", who, l)
			}
			if l.Client == p.full(who) && slices.Contains(any, l.Event) {
				return true
			}
		}
		return false
	})
}

// until polls until a condition holds.
func (p *playing) until(what string, is func() bool) {
	p.t.Helper()
	for end := time.Now().Add(patienceOfIncidents); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("it doesn't come to that %s; programs said\n%s", what, p.story())
		}
	}
}

// patienceOfIncidents bounds every wait, even on a slow machine.
const patienceOfIncidents = 3 * time.Minute

// story returns what this incident's programs have said.
func (p *playing) story() string {
	var all strings.Builder
	for _, l := range p.book.All() {
		if strings.HasSuffix(l.Client, "-"+p.in.name) {
			fmt.Fprintln(&all, l)
		}
	}
	return all.String() + p.book.Other()
}

// alarms checks that commands that go on have named no other trouble of this incident than it has. Of a client that
// takes longer than a second to look who is ahead, as on a busy machine, they rightly say that it watches nobody.
func (p *playing) alarms() {
	for _, w := range allNews {
		for line := range strings.Lines(p.news[w].text()) {
			_, alarm, is := strings.Cut(line, "  "+p.path()+"  ! ")
			if is && !strings.Contains(alarm, "may end soon") && !regexp.MustCompile("watch(es|ed)? no").MatchString(alarm) &&
				(p.in.alarms == "" || !regexp.MustCompile(p.in.alarms).MatchString(alarm)) {
				p.t.Errorf("%v: a false alarm: %s", w, line)
			}
		}
	}
}

// said returns what a client has said of that kind, in order.
func (p *playing) said(client string, e programs.Event) (all []programs.Line) {
	for _, l := range p.book.All() {
		if l.Client == p.full(client) && l.Event == e {
			all = append(all, l)
		}
	}
	return all
}

// session returns a client's session by its own account, 0 if it has none yet.
func (p *playing) session(client string) (session int64) {
	for _, l := range p.said(client, programs.Opened) {
		session = l.Session
	}
	return session
}

// owns reports whether a session has a znode below a path.
func (p *playing) owns(path string, session int64) bool {
	names, _, err := p.conn.Children(path)
	if err != nil && err != zk.ErrNoNode {
		return false // a server may be lost just now
	}
	for _, name := range names {
		_, stat, err := p.conn.Exists(path + "/" + name)
		if err == nil && stat != nil && session != 0 && stat.EphemeralOwner == session || p.owns(path+"/"+name, session) {
			return true
		}
	}
	return false
}

// clientRelay passes connections on to a server until it is cut.
type clientRelay struct {
	ln     net.Listener
	mu     sync.Mutex
	server string
	host   string // from which it seems to come
	conns  []net.Conn
	isCut  bool
}

func newClientRelay(t *testing.T, server, host string) *clientRelay {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &clientRelay{ln: ln, server: server, host: host}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() { r.pass(c) })
		}
	})
	t.Cleanup(func() { r.cut(); all.Wait() })
	return r
}

func (r *clientRelay) addr() string { return r.ln.Addr().String() }

// from returns the address from which the server sees the last client.
func (r *clientRelay) from() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.conns[len(r.conns)-1].LocalAddr().String()
}

func (r *clientRelay) pass(client net.Conn) {
	defer client.Close()
	server := r.dial(client)
	if server == nil {
		return
	}
	defer server.Close()
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(client, server) // whatever ends it also ends the other half
		_ = client.Close()
	})
	_, _ = io.Copy(server, client)
	_ = server.Close()
	back.Wait()
}

// dial connects a client to the server, or returns nil.
func (r *clientRelay) dial(client net.Conn) net.Conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(r.host)}}
	server, err := from.Dial("tcp", r.server)
	if err != nil || r.isCut {
		return nil
	}
	r.conns = append(r.conns, client, server)
	return server
}

// move ends all connections and passes others on to another server, from another host.
func (r *clientRelay) move(server, host string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.server, r.host = server, host
	for _, c := range r.conns {
		_ = c.Close()
	}
}

func (r *clientRelay) isOver() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.isCut
}

// cut ends all connections and refuses others from now on.
func (r *clientRelay) cut() {
	_ = r.ln.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isCut = true
	for _, c := range r.conns {
		_ = c.Close()
	}
}
