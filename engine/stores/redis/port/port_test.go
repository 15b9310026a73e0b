package port_test

import (
	"bytes"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/stores/redis/port"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
	"github.com/zkviz/zkviz/engine/stores/redis/wire"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/testing/redisconform"
	"github.com/zkviz/zkviz/engine/testing/redistest"
)

// start starts a server for the duration of the test.
func start(t testing.TB, cfg port.Config) (s *port.Server, addr string) {
	t.Helper()
	s = redistest.Simulated(t, cfg)
	return s, s.Addr().String()
}

// serve is start that returns the address alone.
func serve(t testing.TB, cfg port.Config) string {
	t.Helper()
	_, addr := start(t, cfg)
	return addr
}

// client is a connection with its reader.
type client struct {
	net.Conn
	in *resp.Reader
}

func dial(t testing.TB, addr string) *client {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(10 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	return &client{c, resp.NewReader(c)}
}

func (c *client) send(t testing.TB, words ...string) {
	t.Helper()
	if _, err := c.Write(resp.AppendCommand(nil, words)); err != nil {
		t.Fatal(err)
	}
}

func (c *client) read(t testing.TB) string {
	t.Helper()
	v, err := c.in.Value()
	if err != nil {
		t.Fatal(err)
	}
	return v.String()
}

func (c *client) ask(t testing.TB, words ...string) string {
	t.Helper()
	c.send(t, words...)
	return c.read(t)
}

// TestPort checks that keys expire in real time, that a waiting request is served, and that messages reach subscribers.
func TestPort(t *testing.T) {
	addr := serve(t, port.Config{})
	a, b, c := dial(t, addr), dial(t, addr), dial(t, addr)
	if got := a.ask(t, "SET", "lock", "a", "NX", "PX", "50"); got != "OK" {
		t.Fatal(got)
	}
	for b.ask(t, "SET", "lock", "b", "NX", "PX", "60000") != "OK" { // until a's key has expired
		time.Sleep(time.Millisecond)
	}
	b.send(t, "BLPOP", "list", "0")
	if got := c.ask(t, "SUBSCRIBE", "one", "two"); got != "[subscribe one 1]" || c.read(t) != "[subscribe two 2]" {
		t.Error(got)
	}
	for a.ask(t, "RPUSH", "list", "x") != "1" { // b may not have asked yet: then it gets the first
		break
	}
	if got := b.read(t); got != "[list x]" {
		t.Error(got)
	}
	if got := a.ask(t, "PUBLISH", "two", "hello"); got != "1" {
		t.Error(got)
	}
	if got := c.read(t); got != "[message two hello]" {
		t.Error(got)
	}
	if got := a.ask(t, "BLPOP", "none", "0.01"); got != "(nil)" {
		t.Error(got)
	}
}

// TestHouse checks the replies to what clients ask first.
func TestHouse(t *testing.T) {
	c := dial(t, serve(t, port.Config{}))
	for _, x := range []struct{ ask, want string }{
		{"HELLO 3", "NOPROTO unsupported protocol version"},
		{"CLIENT GETNAME", "(nil)"}, {"CLIENT SETNAME me", "OK"}, {"CLIENT GETNAME", "me"},
		{"HELLO 2 SETNAME you\x07", "ERR Client names cannot contain spaces, newlines or special characters, nor be longer " +
			"than 64 bytes here."}, {"CLIENT GETNAME", "me"}, {"CLIENT ID", "1"}, {"CLIENT SETINFO LIB-NAME x", "OK"},
		{"SELECT 0", "OK"}, {"SELECT 1", "ERR DB index is out of range"}, {"COMMAND DOCS", "[]"},
		{"EVALSHA 0123 0", "NOSCRIPT No matching script. Please use EVAL."},
		{"EVAL return(7) 0", "7"}, {"EVALSHA_RO 0123 0", "NOSCRIPT No matching script. Please use EVAL."},
		{"SCRIPT EXISTS 0123", "[0]"}, {"SCRIPT FLUSH", "OK"}, {"ROLE", "[master 0 []]"},
		{"QUIT", "OK"},
	} {
		if got := c.ask(t, strings.Fields(x.ask)...); got != x.want {
			t.Errorf("%s: %s, want %s", x.ask, got, x.want)
		}
	}
	if _, err := c.in.Value(); err == nil {
		t.Error("QUIT does not end the connection")
	}
}

// TestPortLimits checks that one connection too many is refused with a reason, that a protocol error closes the
// connection, and that a client that reads nothing doesn't block others.
func TestPortLimits(t *testing.T) {
	addr := serve(t, port.Config{Conns: 2})
	a, _ := dial(t, addr), dial(t, addr)
	if got := a.ask(t, "PING"); got != "PONG" {
		t.Fatal(got)
	}
	for {
		if got := dial(t, addr).read(t); !strings.Contains(got, "max number of clients") {
			t.Error(got)
		}
		break
	}
	if _, err := a.Write([]byte("*1\r\n:1\r\n")); err != nil {
		t.Fatal(err)
	}
	if got := a.read(t); got != "ERR Protocol error: expected '$', got ':'" {
		t.Error(got)
	}
	if _, err := a.in.Value(); err == nil {
		t.Error("it goes on")
	}

	addr = serve(t, port.Config{})
	silent, b := dial(t, addr), dial(t, addr)
	if got := silent.ask(t, "SUBSCRIBE", "c"); got != "[subscribe c 1]" {
		t.Fatal(got)
	}
	long := strings.Repeat("x", 1<<20)
	for b.ask(t, "PUBLISH", "c", long) != "0" { // until it is closed
	}
}

// TestManyAtOnce lets fifty clients take turns at a lock.
func TestManyAtOnce(t *testing.T) {
	addr := serve(t, port.Config{})
	var all sync.WaitGroup
	inside := make(chan bool, 1)
	for i := range 50 {
		c := dial(t, addr)
		all.Go(func() {
			for c.ask(t, "SET", "lock", fmt.Sprint(i), "NX", "PX", "60000") != "OK" {
				time.Sleep(time.Millisecond)
			}
			select {
			case inside <- true:
			default:
				t.Error("two are inside")
			}
			<-inside
			c.ask(t, "DEL", "lock")
		})
	}
	all.Wait()
}

// TestPortConforms plays scripts on the port and on the model.
func TestPortConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of round trips")
	}
	real, err := redisconform.Connect(serve(t, port.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close()
	for seed := uint64(1); seed <= 50; seed++ {
		script := slices.DeleteFunc(redisconform.Generate(seed, 60), func(s redisconform.Step) bool {
			return len(s.Args) > 0 && s.Args[0] == "DBSIZE"
		})
		if d, err := redisconform.Play(script, &redisconform.Simulated{}, real); d != nil || err != nil {
			t.Fatalf("seed %d: %v, %v", seed, d, err)
		}
	}
}

// TestRedisCLI sends commands with redis-cli.
func TestRedisCLI(t *testing.T) {
	redistest.Need(t)
	host, number, err := net.SplitHostPort(serve(t, port.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ in, want string }{
		{"set lock me nx px 60000\nset lock you nx\nget lock\n", "OK\n\nme\n"},
		{"incr n\nincr n\n", "1\n2\n"},
	} {
		cmd := exec.Command("redis-cli", "-h", host, "-p", number)
		cmd.Stdin = strings.NewReader(c.in)
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Equal(out, []byte(c.want)) {
			t.Errorf("%q: %q, %v, want %q", c.in, out, err, c.want)
		}
	}
}

// TestRunsBegin checks that a run of recipes can start here, and removes what a dead run has left.
func TestRunsBegin(t *testing.T) {
	at, err := wire.Parse(serve(t, port.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	const dead, alive = real.Roots + "aaaaaaaaaa", real.Roots + "bbbbbbbbbb"
	k, err := at.Dial(t.Context(), real.Network)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	c := &client{k, resp.NewReader(k)}
	c.ask(t, "SET", dead+"/lock", "a")
	c.ask(t, "SET", real.Roots+"other", "b")
	if err := at.Node().Begin(t.Context(), alive); err != nil {
		t.Fatal(err)
	}
	if got := c.ask(t, "KEYS", "*"); got != "["+alive+"/.run "+real.Roots+"other]" {
		t.Error(got)
	}
}

// TestHostile checks that many clients that send parts of large requests, or don't read their replies, are
// disconnected, and that a polite client is served all the time.
func TestHostile(t *testing.T) {
	addr := serve(t, port.Config{})
	polite := dial(t, addr)
	var large []*client
	for range 40 {
		c := dial(t, addr)
		if _, err := c.Write([]byte("*2\r\n$3\r\nGET\r\n$1048576\r\n")); err != nil {
			t.Fatal(err)
		}
		large = append(large, c)
	}
	refused := make(chan string, len(large))
	for _, c := range large {
		go func() {
			v, _ := c.in.Value()
			refused <- v.Str
		}()
	}
	if got := <-refused; got != "ERR Protocol error: too much in the requests of all clients" {
		t.Errorf("the first that is answered is told %q", got)
	}
	if got := polite.ask(t, "SET", "key", "x"); got != "OK" {
		t.Error(got)
	}
	for _, c := range large {
		_ = c.Close()
	}
	for _, c := range [][]string{{"BLPOP", strings.Repeat("k", 70_000), "0"}, {"SUBSCRIBE", strings.Repeat("k", 70_000)}} {
		if got := polite.ask(t, c...); !strings.HasPrefix(got, "ERR too many bytes") {
			t.Errorf("%s: %s", c[0], got)
		}
	}
	for range 10 {
		if got := dial(t, addr).ask(t, "SUBSCRIBE", "c"); got != "[subscribe c 1]" {
			t.Fatal(got)
		}
	}
	long := strings.Repeat("x", 1<<19)
	for polite.ask(t, "PUBLISH", "c", long) != "0" { // until they are closed
	}
	blocked := dial(t, addr)
	blocked.send(t, "BLPOP", "list", "0")
	for range 3 {
		blocked.send(t, "SET", "key", strings.Repeat("x", 30_000))
	}
	if _, err := blocked.in.Value(); err == nil {
		t.Error("a client may send any amount while it is kept waiting")
	}
	if got := polite.ask(t, "GET", "key"); got != "x" {
		t.Error(got)
	}
}
