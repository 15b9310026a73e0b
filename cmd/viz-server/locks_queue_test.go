package main

import (
	"bytes"
	"errors"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/testing/apache"
)

// queuer is a client that stands in line for a lock.
type queuer struct {
	conn  *zk.Conn
	znode string
	mu    sync.Mutex
	wire  net.Conn
	cut   bool
}

// queueUp makes a client with a session of its own stand in line for /l.
func queueUp(t *testing.T, server string, data string, timeout time.Duration) *queuer {
	t.Helper()
	q := &queuer{}
	var err error
	q.conn, _, err = zk.Connect([]string{server}, timeout, zk.WithLogInfo(false), zk.WithDialer(q.dial),
		zk.WithLogger(silentLogger{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.conn.Close)
	q.znode, err = q.conn.Create("/l/lock-", []byte(data), zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

type silentLogger struct{}

func (silentLogger) Printf(string, ...any) {}

func (q *queuer) dial(network, addr string, limit time.Duration) (net.Conn, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.cut {
		return nil, errors.New("cut off")
	}
	c, err := net.DialTimeout(network, addr, limit)
	q.wire = c
	return c, err
}

// vanish cuts the client off for good.
func (q *queuer) vanish() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.cut = true
	_ = q.wire.Close()
}

func (q *queuer) session() string { return handover.SessionText(q.conn.SessionID()) }

// who names it by session and address.
func (q *queuer) who() string { return q.session() + " " + q.at() }

func (q *queuer) at() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.wire.LocalAddr().String()
}

// TestQueueOfAServer has clients wait for a lock of a real server, and give up: one deletes its znode, one closes its
// session, one vanishes. The command, the page and the JSON name them, joined and reading.
func TestQueueOfAServer(t *testing.T) {
	t.Parallel()
	e, conn := startServers(t, 1, apache.Config{Settings: []string{"standaloneEnabled=false"}})
	if _, err := conn.Create("/l", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	server := strings.Split(e.ConnectString(), ",")[0]
	holder := queueUp(t, server, "holder-0", apache.MaxSession)
	next := queueUp(t, server, "worker-1", apache.MaxSession)
	deletes := queueUp(t, server, "worker-2", apache.MaxSession)
	closes := queueUp(t, server, "worker-3", apache.MaxSession)
	vanishes := queueUp(t, server, "worker-4", 20*time.Second)
	lists := []*lockList{listLocks(t, e, true), listLocks(t, e, false)}
	queue := []*queuer{holder, next, deletes, closes, vanishes}
	for _, l := range lists {
		l.namesQueue(queue)
		l.follow()
		l.says("/l ")
	}
	if err := deletes.conn.Delete(deletes.znode, -1); err != nil {
		t.Fatal(err)
	}
	left := func(q *queuer, data, why string) {
		t.Helper()
		const waited = " left the queue after waiting for "
		lists[0].sees(q.who()+" "+data+waited, ": "+why)
		lists[1].sees(q.who()+waited, ": reading can't tell why (joining can)") // nobody has asked to name those who wait
	}
	left(deletes, "worker-2", "it gave up")
	closes.conn.Close()
	left(closes, "worker-3", "it closed its session")
	vanishes.vanish()
	left(vanishes, "worker-4", "its session expired")
	if err := holder.conn.Delete(holder.znode, -1); err != nil {
		t.Fatal(err)
	}
	for _, l := range lists {
		l.says("; then " + next.who()) // by reading, what it wrote may come later than the line
		text := l.shows(next.who() + " worker-1 got it")
		for _, want := range []string{deletes.who() + " ", closes.who() + " ", vanishes.who() + " ", " left the queue",
			"1 got in, 3 left the queue", "waited: 1 "} {
			if !strings.Contains(text, want) {
				t.Errorf("%s, the page doesn't say %q: %s", l.name, want, text)
			}
		}
	}
}

// namesQueue runs viz-server locks on the lock, in words and as JSON, and reads the page.
func (l *lockList) namesQueue(queue []*queuer) {
	l.t.Helper()
	page := l.shows("worker-4")
	var out, errs bytes.Buffer
	term := &terminal{ctx: l.t.Context(), out: &out, err: &errs}
	for _, args := range [][]string{{"locks", "/l"}, {"locks", "/l", "--json"}, {"locks", "--waiting"}} {
		if code := execute(append(slices.Clone(args), l.args...), term); code != exitOK {
			l.t.Fatalf("%s, %v: %d, %s", l.name, args, code, errs.String())
		}
	}
	for i, q := range queue[1:] {
		ahead := queue[i].session()
		data := "worker-" + string(rune('1'+i))
		line := regexp.QuoteMeta(q.session() + " " + q.at() + " " + data)
		for what, text := range map[string]string{
			`(?s)\d\. ` + line + ` for [^,]*, since [^,]*, behind ` + ahead + "\n.*" + line: out.String(),
			`"session":"` + q.session() + `","address":"` + q.at() + `","znode":"` + q.znode + `","data":"` + data +
				`","since":"[^"]*","waited_ms":\d+,"behind":"` + ahead + `"`: out.String(),
			line + ` for .*? behind ` + ahead: page} {
			if !regexp.MustCompile(what).MatchString(text) {
				l.t.Errorf("%s, nothing is like %s in %s", l.name, what, text)
			}
		}
	}
}

// sees waits until the command prints a line with one text and, behind it, another.
func (l *lockList) sees(what, then string) {
	l.t.Helper()
	for line := range l.lines {
		if _, rest, is := strings.Cut(line, what); is {
			if !strings.HasSuffix(rest, then+"\n") {
				l.t.Errorf("%s, it says %s, not %s", l.name, line, then)
			}
			return
		}
		if l.t.Context().Err() != nil {
			break
		}
	}
	l.t.Fatalf("%s, it doesn't say %q", l.name, what)
}
