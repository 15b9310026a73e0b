package contend_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/host/contend"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

const queue = "/zkviz/queue"

// patience is how long a test waits for an expected event. long is the timeout of sessions that should not end: a
// busy machine may stall for many seconds.
const (
	patience = time.Minute
	long     = 40 * time.Second
)

// TestMain lets all tests run at the same time: they wait far longer than they compute.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// told records what a pool reports, and knows its server.
type told struct {
	t      *testing.T
	server *embed.Server
	on     func(said) // called with the first event of holding, before the holder goes on
	once   sync.Once

	mu     sync.Mutex
	news   *sync.Cond
	events []said
}

type said struct {
	session int64
	event.Event
}

// listen starts a server on which sessions last at most 20 ticks.
func listen(t *testing.T, tick time.Duration) *told {
	server, err := embed.Listen(embed.Config{Tick: tick})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	l := &told{t: t, server: server}
	l.news = sync.NewCond(&l.mu)
	return l
}

func (l *told) dial() (net.Conn, error) { return l.server.Dial() }

func (l *told) tell(session int64, e event.Event) event.Seq {
	s := said{session, e}
	l.mu.Lock()
	l.events = append(l.events, s)
	seq := event.Seq(len(l.events))
	l.news.Broadcast()
	l.mu.Unlock()
	if l.on != nil && phase(program.Holding)(s) {
		l.once.Do(func() { l.on(s) })
	}
	return seq
}

// pool returns a pool with the given session timeout.
func (l *told) pool(timeout time.Duration) *contend.Pool {
	c := contend.New(contend.Config{
		Dial: l.dial, Path: queue, Emit: l.tell, SessionTimeout: timeout, Hold: 50 * time.Millisecond,
		Rest: 10 * time.Millisecond,
	})
	l.t.Cleanup(c.Close)
	return c
}

// strike injects a fault into the first holder, before it goes on.
func (l *told) strike(c *contend.Pool, f fault.Fault) {
	l.on = func(holder said) {
		if err := c.Do(holder.session, f); err != nil {
			l.t.Error(err)
		}
	}
}

// until waits for the n-th wanted event, counted from position from, and returns its position too.
func (l *told) until(from, n int, wanted func(said) bool) (said, int) {
	l.t.Helper()
	limit := time.AfterFunc(patience, l.news.Broadcast)
	defer limit.Stop()
	end := time.Now().Add(patience)
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := from; ; i++ {
		for i >= len(l.events) {
			if time.Now().After(end) {
				l.t.Fatalf("it did not come; there were %d events", len(l.events))
			}
			l.news.Wait()
		}
		if wanted(l.events[i]) {
			if n--; n == 0 {
				return l.events[i], i
			}
		}
	}
}

func phase(p program.Phase) func(said) bool {
	return func(s said) bool { return s.Kind == event.RecipePhase && program.Phase(s.Text) == p }
}

func (l *told) outsider() *zk.Conn {
	conn, _, err := zk.Connect([]string{l.server.Addr().String()}, long, zk.WithLogInfo(false))
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(conn.Close)
	for end := time.Now().Add(patience); conn.State() != zk.StateHasSession; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			l.t.Fatal("there is no session")
		}
	}
	return conn
}

// TestTakeTurns lets members compete with go-zookeeper's own lock: only one holds it at a time.
func TestTakeTurns(t *testing.T) {
	t.Parallel()
	l := listen(t, 2*time.Second)
	if err := contend.Make(t.Context(), l.dial, queue); err != nil {
		t.Fatal(err)
	}
	c := l.pool(long)
	if err := c.Resize(4); err != nil {
		t.Fatal(err)
	}
	lock := zk.NewLock(l.outsider(), queue, zk.WorldACL(zk.PermAll))
	for range 3 {
		if err := lock.Lock(); err != nil {
			t.Fatal(err)
		}
		l.mu.Lock()
		was := len(l.events)
		l.mu.Unlock()
		time.Sleep(20 * time.Millisecond) // long enough for a member to come in by mistake
		l.mu.Lock()
		for _, s := range l.events[was:] {
			if phase(program.Holding)(s) {
				t.Errorf("session %x came in while an outsider held the lock", s.session)
			}
		}
		l.mu.Unlock()
		if err := lock.Unlock(); err != nil {
			t.Fatal(err)
		}
	}
	l.until(0, 8, phase(program.Released))
	c.Close()
	inside := int64(0)
	for _, s := range l.events {
		switch {
		case phase(program.Holding)(s) && inside != 0:
			t.Fatalf("session %x came in while %x was inside", s.session, inside)
		case phase(program.Holding)(s):
			inside = s.session
		case phase(program.Released)(s):
			inside = 0
		}
	}
	if names, _, err := l.outsider().Children(queue); err != nil || len(names) > 0 {
		t.Errorf("after all have gone there is %q, %v", names, err)
	}
}

// TestPausedHolder pauses a holder for longer than its session lasts: the next one gets the lock while the first
// still believes that it holds it. The first learns that its session is over only when it runs again.
func TestPausedHolder(t *testing.T) {
	t.Parallel()
	l := listen(t, 300*time.Millisecond)
	c := l.pool(6 * time.Second)
	l.strike(c, fault.Fault{Kind: fault.Pause, For: 18 * time.Second})
	if err := c.Resize(2); err != nil {
		t.Fatal(err)
	}
	holder, at := l.until(0, 1, phase(program.Holding))
	if err := c.Do(1, fault.Fault{Kind: fault.Pause, For: time.Second}); !errors.Is(err, contend.ErrNoMember) {
		t.Errorf("a stranger was paused: %v", err)
	}
	if err := c.Do(holder.session, fault.Fault{Kind: fault.Expire}); err == nil {
		t.Error("a session was expired")
	}
	own := func(kind event.Kind) func(said) bool {
		return func(s said) bool { return s.session == holder.session && s.Kind == kind }
	}
	_, paused := l.until(at, 1, own(event.ClientPaused))
	_, next := l.until(paused, 1, func(s said) bool { return s.session != holder.session && phase(program.Holding)(s) })
	if now := c.Now(holder.session); len(now) == 0 || now[len(now)-1].Text != string(program.Holding) &&
		now[len(now)-1].Text != string(program.Released) {
		t.Errorf("the paused holder would now say %v", now)
	}
	_, resumed := l.until(paused, 1, own(event.ClientResumed))
	_, lost := l.until(paused, 1, func(s said) bool { return s.session == holder.session && phase(program.Lost)(s) })
	if next > resumed || resumed > lost {
		t.Errorf("the next came in at %d, the paused one went on at %d and learnt of it at %d", next, resumed, lost)
	}
	l.until(lost, 2, phase(program.Waiting)) // and both queue again
}

// TestCrash lets the holder crash: its znode stays until its session expires, then the next one gets the lock.
func TestCrash(t *testing.T) {
	t.Parallel()
	l := listen(t, time.Second)
	outsider := l.outsider()
	left := make(chan int, 10)
	const timeout = 8 * time.Second
	c := contend.New(contend.Config{Dial: l.dial, Path: queue, Emit: l.tell, SessionTimeout: timeout, Hold: time.Second,
		Ended: func(n int) { left <- n }})
	t.Cleanup(c.Close)
	l.strike(c, fault.Fault{Kind: fault.Crash})
	start := time.Now()
	if err := c.Resize(2); err != nil {
		t.Fatal(err)
	}
	holder, at := l.until(0, 1, phase(program.Holding))
	if n := <-left; n != 1 || c.Members() != 1 {
		t.Errorf("%d are said to be left, and %d are", n, c.Members())
	}
	there, _, err := outsider.Exists(holder.Path)
	if err != nil || !there && time.Since(start) < timeout {
		t.Errorf("its znode went with its process: %v, %v", there, err)
	}
	l.until(at, 1, func(s said) bool { return s.session != holder.session && phase(program.Holding)(s) })
}

// TestCut cuts a member's link for longer than its session lasts: it comes back with a new session.
func TestCut(t *testing.T) {
	t.Parallel()
	l := listen(t, 200*time.Millisecond)
	c := l.pool(4 * time.Second)
	l.strike(c, fault.Fault{Kind: fault.Cut, For: 12 * time.Second})
	if err := c.Resize(1); err != nil {
		t.Fatal(err)
	}
	first, at := l.until(0, 1, phase(program.Holding))
	_, lost := l.until(at, 1, phase(program.Lost))
	again, _ := l.until(lost, 1, phase(program.Holding))
	if again.session == first.session {
		t.Errorf("it holds again with the session %x, which must be over", again.session)
	}
}

func TestResizeRefuses(t *testing.T) {
	c := contend.New(contend.Config{Path: queue})
	for _, n := range []int{-1, contend.MaxMembers + 1} {
		if err := c.Resize(n); err == nil {
			t.Errorf("%d members were let in", n)
		}
	}
	c.Close()
	if err := c.Resize(1); err == nil {
		t.Error("somebody came after the end")
	}
}

// losing is a connection that breaks with the answer to the first request to join the queue.
type losing struct {
	net.Conn
	first *sync.Once
	lose  atomic.Bool
}

func (c *losing) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("-lock-")) {
		c.first.Do(func() { c.lose.Store(true) })
	}
	return c.Conn.Write(b)
}

func (c *losing) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.lose.Load() {
		_ = c.Conn.Close()
		return 0, io.EOF
	}
	return n, err
}

// TestLostAnswer loses the reply to a member that has joined the queue: it must find its znode and not queue twice.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	l := listen(t, 2*time.Second)
	if err := contend.Make(t.Context(), l.dial, queue); err != nil { // else the answer would be that there is no queue
		t.Fatal(err)
	}
	var first sync.Once
	c := contend.New(contend.Config{
		Dial: func() (net.Conn, error) {
			conn, err := l.dial()
			return &losing{Conn: conn, first: &first}, err
		},
		Path: queue, Emit: l.tell, SessionTimeout: long, Hold: time.Hour,
	})
	t.Cleanup(c.Close)
	if err := c.Resize(1); err != nil {
		t.Fatal(err)
	}
	holder, _ := l.until(0, 1, phase(program.Holding))
	names, _, err := l.outsider().Children(queue)
	if err != nil || len(names) != 1 || queue+"/"+names[0] != holder.Path {
		t.Errorf("it holds %s, and in the queue there is %q: %v", holder.Path, names, err)
	}
	first.Do(func() { t.Error("no answer was lost") })
}

// TestGiveUp sends a waiting member away: it must report that it gave up, and delete its znode from the queue.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	l := listen(t, 2*time.Second)
	left := make(chan int, 10)
	c := contend.New(contend.Config{
		Dial: l.dial, Path: queue, Emit: l.tell, SessionTimeout: long, Hold: time.Hour, Ended: func(n int) { left <- n },
	})
	t.Cleanup(c.Close)
	if err := c.Resize(1); err != nil {
		t.Fatal(err)
	}
	holder, at := l.until(0, 1, phase(program.Holding))
	if err := c.Resize(2); err != nil {
		t.Fatal(err)
	}
	waiting, at := l.until(at, 1, phase(program.Waiting))
	if err := c.Resize(1); err != nil {
		t.Fatal(err)
	}
	if gone, _ := l.until(at, 1, phase(program.GaveUp)); gone.session != waiting.session || gone.Path != waiting.Path {
		t.Errorf("%v waited, and %v gave up", waiting, gone)
	}
	outsider := l.outsider()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		names, _, err := outsider.Children(queue)
		if err == nil && len(names) == 1 && queue+"/"+names[0] == holder.Path {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("in the queue there is %q: %v", names, err)
		}
	}
	if c.Close(); len(left) > 0 {
		t.Error("somebody is said to have left without being asked to")
	}
}
