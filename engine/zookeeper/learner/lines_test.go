package learner_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/testing/apache"
)

// lines holds three locks in trouble, below /ward. At herd all waiters watch the first, at blind c waits and
// watches nothing, and at stuck a persistent znode is at the front. They are observed by the ensemble's
// transactions and by reading.
type lines struct {
	t       *testing.T
	clients []*patient // a to e, spread over the servers
	looks   []*look
	first   string            // at stuck
	told    <-chan zk.Event   // for b, of that znode
	herd    []<-chan zk.Event // for b to e, of the first znode at herd
}

// patient is a client that holds or waits.
type patient struct {
	*zk.Conn
	from *sync.Map // the addresses that it has used
}

// look is one way to observe them.
type look struct {
	how  string
	on   cluster.Cluster
	all  *follow.Locks
	mu   sync.Mutex
	log  *view.History
	news chan struct{}
	asks panes.Holding
}

// Append implements event.Sink.
func (l *look) Append(e event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log.Append(e)
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// until waits until the log's state satisfies is.
func (l *look) until(t *testing.T, what string, is func(*view.State) bool) {
	t.Helper()
	for late := time.After(patience); ; {
		l.mu.Lock()
		so := is(l.log.StateAtSeq(event.Seq(l.log.Len())))
		l.mu.Unlock()
		if so {
			return
		}
		select {
		case <-l.news:
		case <-late:
			t.Fatalf("%s: the log does not say that %s", l.how, what)
		}
	}
}

// asked reports whether the log has the servers' watches.
func (l *look) asked() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.log.StateAtSeq(event.Seq(l.log.Len()))
	return s.Watches.Asked > 0 && !s.Watches.AskedPart
}

// open connects the clients and forms the three lines.
func open(t *testing.T, f *feed.Feed, e *apache.Ensemble) *lines {
	t.Helper()
	l := &lines{t: t}
	servers := strings.Split(e.ConnectString(), ",")
	for i := range 5 {
		l.clients = append(l.clients, connect(t, servers[i%len(servers)]))
	}
	for _, path := range []string{"/ward", "/ward/herd", "/ward/blind", "/ward/stuck"} {
		l.put(0, path, 0)
	}
	asked := sessions.New(sessions.Config{Servers: servers, Every: 100 * time.Millisecond})
	l.look("joined", cluster.Cluster{Servers: servers, Sessions: asked, Feed: f})
	l.look("read", cluster.Cluster{Servers: servers, Sessions: asked})

	first := l.queue(0, "herd", 0)
	for i := 1; i < 5; i++ {
		l.queue(i, "herd", i)
		l.herd = append(l.herd, l.watch(i, first))
	}
	first = l.queue(0, "blind", 0)
	l.queue(1, "blind", 1)
	l.watch(1, first)
	l.queue(2, "blind", 2)
	l.first = l.put(0, "/ward/stuck/lock-0000000000", 0)
	ahead := l.queue(1, "stuck", 1)
	l.told = l.watch(1, l.first)
	l.queue(2, "stuck", 2)
	l.watch(2, ahead)
	return l
}

func connect(t *testing.T, server string) *patient {
	t.Helper()
	p := &patient{from: new(sync.Map)}
	conn, events, err := zk.Connect([]string{server}, steadfast, zk.WithLogger(quiet{}),
		zk.WithDialer(func(network, addr string, within time.Duration) (net.Conn, error) {
			c, err := net.DialTimeout(network, addr, within)
			if err == nil {
				p.from.Store(c.LocalAddr().String(), true)
			}
			return c, err
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	for ev := range events {
		if ev.State == zk.StateHasSession {
			break
		}
	}
	p.Conn = conn
	return p
}

// put creates a znode. Its server may be without a leader for a moment, and may have created it all the same.
func (l *lines) put(client int, path string, flags int32) string {
	l.t.Helper()
	await(l.t, path, func() bool {
		_, err := l.clients[client].Create(path, nil, flags, zk.WorldACL(zk.PermAll))
		return err == nil || errors.Is(err, zk.ErrNodeExists)
	})
	return path
}

func (l *lines) queue(client int, lock string, place int) string {
	l.t.Helper()
	return l.put(client, fmt.Sprintf("/ward/%s/lock-%010d", lock, place), zk.FlagEphemeral)
}

func (l *lines) leave(client int, path string) {
	l.t.Helper()
	await(l.t, path+" to be gone", func() bool {
		err := l.clients[client].Delete(path, -1)
		return err == nil || errors.Is(err, zk.ErrNoNode)
	})
}

func (l *lines) watch(client int, path string) (told <-chan zk.Event) {
	l.t.Helper()
	await(l.t, "a watch of "+path, func() bool {
		there, _, ch, err := l.clients[client].ExistsW(path)
		told = ch
		return there && err == nil
	})
	return told
}

// gone waits until a client receives the end of what it watches.
func (l *lines) gone(told <-chan zk.Event) {
	l.t.Helper()
	select {
	case e := <-told:
		if e.Type != zk.EventNodeDeleted {
			l.t.Errorf("a client is told %v", e)
		}
	case <-time.After(patience):
		l.t.Fatal("a client is told nothing")
	}
}

// look begins one way of observing.
func (l *lines) look(how string, on cluster.Cluster) {
	l.t.Helper()
	h := on.Observed("/ward")
	v := &look{how: how, on: on, log: view.NewHistoryFor(h), news: make(chan struct{}, 1),
		all: follow.New(on)}
	l.t.Cleanup(v.all.Close)
	ctx, stop := context.WithCancel(l.t.Context())
	over := make(chan error, 1)
	go func() { over <- on.Observe(ctx, h, v) }()
	l.t.Cleanup(func() { stop(); l.t.Logf("%s, it ends with %v", how, <-over) })
	v.until(l.t, "there is the place of the last line", func(s *view.State) bool {
		return s.Tree.Node("/ward/stuck") != nil
	})
	l.looks = append(l.looks, v)
}

// each calls do for both ways of observing.
func (l *lines) each(do func(*look)) {
	for _, v := range l.looks {
		do(v)
	}
}

// judge asks the servers for watches, and compares everything reported with the truth.
func (l *lines) judge(ctx context.Context) {
	l.each(func(v *look) {
		v.until(l.t, "all have queued", func(s *view.State) bool {
			return len(s.Siblings("/ward/herd").Places) == 5 && len(s.Siblings("/ward/blind").Places) == 3 &&
				len(s.Siblings("/ward/stuck").Places) == 3
		})
	})
	l.each(func(v *look) {
		var r map[string]locks.Row
		await(l.t, v.how+" to tell of a herd", func() bool {
			r = l.report(ctx, v)
			return alerts(r, "/ward/herd") == "30 trouble.herd(4, lock-0000000000)"
		})
		await(l.t, v.how+" to tell of the blind one", func() bool { // once the others have had the time to look
			r = l.report(ctx, v)
			said := alerts(r, "/ward/blind")
			return said == "60 trouble.blind(1)" || said == "60 trouble.blind.sure(1)" // by whether others watch lists
		})
		l.is(v, "whom the herd's release wakes", l.woken(r["/ward/herd"]), "4 b c d")
		l.is(v, "whom the blind one's release wakes", l.woken(r["/ward/blind"]), "1 b")
		h := r["/ward/herd"].Holding[0]
		_, from := l.clients[0].from.Load(h.Client.Addr)
		if h.Session != l.clients[0].SessionID() || h.Client.Timeout != steadfast || !from {
			l.t.Errorf("%s, it is held by %+v", v.how, h)
		}
	})
	l.each(func(v *look) {
		await(l.t, "servers to be asked", func() bool { // once more, if the log could not report then
			return v.on.AskWatches(ctx) == nil && v.asked()
		})
		l.is(v, "of the herd", l.answers(v, "/ward/herd"), `/ward/herd
held: [a] SESSION · lock-000
next: [b] waits(T) hands.more(3)
before: T [a] got
[b] [c] [d] hands.more(1) waits.for(T, a)
T: [a] got
wakes: [b] [c] [d] hands.more(1) · wakes.least(4, lock-000) !`)
		l.is(v, "of the blind one", l.answers(v, "/ward/blind"), `/ward/blind
held: [a] SESSION · lock-000
next: [b] waits(T) hands.more(1)
before: T [a] got
[b] waits.for(T, a)
[c] waits.unwatched(T, b) !
T: [a] got
wakes: [b] · wakes.least(1, lock-000)`)
		l.is(v, "of the stuck one", l.answers(v, "/ward/stuck"), `/ward/stuck
held: nobody.stays(lock-000) !
next: [b] waits(T) hands.more(1)
before: before.none
[b] waits.stays(T, lock-000) !
[c] waits.for(T, b)
wakes.whose: hands.ownerless → [b] · wakes.least(1, lock-000)`)
	})
}

// release wakes the herd, and hands the lock on to c, which nobody notifies.
func (l *lines) release() {
	l.leave(0, "/ward/herd/lock-0000000000")
	for _, told := range l.herd {
		l.gone(told)
	}
	for n := range 2 {
		path := fmt.Sprintf("/ward/blind/lock-%010d", n)
		l.leave(n, path)
		l.each(func(v *look) {
			v.until(l.t, "the blind one is handed on", func(s *view.State) bool {
				n := s.Tree.Node(path)
				return n == nil || n.Gone
			})
		})
	}
	l.each(func(v *look) {
		v.until(l.t, "the herd was told", func(s *view.State) bool {
			return !slices.ContainsFunc(s.Watches.List, func(w view.Watch) bool {
				return w.Path == "/ward/herd/lock-0000000000" && !w.Over
			})
		})
		why := map[bool]string{true: "hands.why.own", false: "hands.why.read"}[v.how == "joined"]
		l.is(v, "of the herd that was woken", l.answers(v, "/ward/herd"), `/ward/herd
held: [b] SESSION · lock-001
next: [c] waits(T) hands.more(2)
before: T [a] → [b] `+why+`(a) · held.for(hands.held.exactly(T, T)) · waited(T)
[c] waits.for(T, b)
[d] waits.behind(T, c)
[e] waits.behind(T, d)
T: [a] → [b] `+why+`(a) · held.for(hands.held.exactly(T, T)) · waited(T)
T: [a] got
woken.last: herd.least(4, T) !`)
		l.is(v, "of the one that c was handed", l.answers(v, "/ward/blind"), `/ward/blind
held: [c] SESSION · lock-002
next: none
before: T [b] → [c] `+why+`(b) · held.for(hands.held.exactly(T, T)) · waited(T)
T: [b] → [c] `+why+`(b) · held.for(hands.held.exactly(T, T)) · waited(T)
T: [a] → [b] `+why+`(a) · held.for(hands.held.exactly(T, T)) · waited(T)
T: [a] got
woken.last: herd.least(1, T)`)
		r := l.later(v)
		held := regexp.MustCompile(`6, \d+`).ReplaceAllString(alerts(r, "/ward/herd"), "6, T")
		l.is(v, "of a holder that lives, six minutes later", held, "40 trouble.held(span.minutes(6, T), 3)")
		l.is(v, "of the stuck one, six minutes later", alerts(r, "/ward/stuck"), "70 trouble.blocked(lock-0000000000)")
	})
}

// end removes the znode that keeps all out.
func (l *lines) end(ctx context.Context) {
	l.each(func(v *look) {
		await(l.t, "nobody to get in for too long", func() bool {
			return alerts(l.report(ctx, v), "/ward/stuck") == "70 trouble.blocked(lock-0000000000)"
		})
	})
	l.leave(0, l.first)
	l.gone(l.told)
	l.each(func(v *look) {
		v.until(l.t, "it is removed", func(s *view.State) bool { return s.Siblings("/ward/stuck").Inside == 1 })
		// Whether b watched again when servers were asked, and whether it has been heard from by now, doesn't
		// matter here.
		said, _, _ := strings.Cut(l.answers(v, "/ward/stuck"), "\nwoken")
		said = strings.Replace(said, " silent(T, T) !", "", 1)
		l.is(v, "of the one that was stuck", said, `/ward/stuck
held: [b] SESSION · lock-001
next: [c] waits(T)
before: T [b] got · waited(T)
[c] waits.for(T, b)
T: [b] got · waited(T)`)
		await(l.t, v.how+" to tell of no trouble there", func() bool {
			r := l.report(ctx, v)
			return len(r["/ward/stuck"].Holding) == 1 && alerts(r, "/ward/stuck") == ""
		})
	})
}
