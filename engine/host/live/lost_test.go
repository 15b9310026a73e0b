package live_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/live"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	languages "github.com/zkviz/zkviz/static/strings"
)

// switchboard forwards connections to a server. It recognizes the run's own connection by its timeout, which differs
// from that of the clients. It can end that session and keep the run away.
type switchboard struct {
	t    *testing.T
	addr string // the address that it listens on
	srv  string

	mu      sync.Mutex
	free    *sync.Cond // signals that held has become false
	held    bool       // the run's own connection is kept away
	session int64      // the run's own session
	secret  []byte
}

func newSwitchboard(t *testing.T, srv *zktest.Server) *switchboard {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &switchboard{t: t, addr: l.Addr().String(), srv: srv.Addr}
	b.free = sync.NewCond(&b.mu)
	t.Cleanup(func() { l.Close(); b.hold(false) })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go b.connect(conn)
		}
	}()
	return b
}

func (b *switchboard) hold(held bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held = held
	b.free.Broadcast()
}

const maxHello = 1 << 10

// connect does the handshake and then copies.
func (b *switchboard) connect(in net.Conn) {
	defer in.Close()
	asked, err := wire.NewFrameReader(oneByOne{in}, maxHello).Next()
	var hello wire.ConnectRequest
	if err != nil || wire.DecodeConnectRequest(asked, &hello) != nil {
		return
	}
	itself := time.Duration(hello.TimeoutMS)*time.Millisecond != unhurried
	b.mu.Lock()
	for itself && b.held {
		b.free.Wait()
	}
	b.mu.Unlock()
	out, err := net.Dial("tcp", b.srv)
	if err != nil {
		return
	}
	defer out.Close()
	if _, err := out.Write(framed(asked)); err != nil {
		return
	}
	answer, err := wire.NewFrameReader(oneByOne{out}, maxHello).Next()
	var welcome wire.ConnectResponse
	if err != nil || wire.DecodeConnectResponse(answer, &welcome) != nil {
		return
	}
	if itself {
		b.mu.Lock()
		b.session, b.secret = welcome.Session, append([]byte(nil), welcome.Password...)
		b.mu.Unlock()
	}
	if _, err := in.Write(framed(answer)); err != nil {
		return
	}
	go func() {
		defer in.Close()
		_, _ = io.Copy(in, out) // ends when either side does
	}()
	_, _ = io.Copy(out, in)
}

// oneByOne keeps a buffering reader from reading more than it needs.
type oneByOne struct{ io.Reader }

func (r oneByOne) Read(b []byte) (int, error) { return r.Reader.Read(b[:min(len(b), 1)]) }

func framed(payload []byte) []byte {
	n := len(payload)
	return append([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, payload...)
}

// end keeps the run itself away and ends its session.
func (b *switchboard) end() {
	b.t.Helper()
	b.hold(true)
	b.mu.Lock()
	hello := wire.ConnectRequest{Session: b.session, Password: b.secret, TimeoutMS: int32(unhurried.Milliseconds())}
	b.mu.Unlock()
	p, err := peer.Dial(b.srv, hello)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		b.t.Fatal(err)
	}
}

// marked waits until the server's marker of a run exists or is gone.
func (b *switchboard) marked(c *zk.Conn, root string, want bool) {
	b.t.Helper()
	for end := time.Now().Add(longest); ; time.Sleep(10 * time.Millisecond) {
		there, _, err := c.Exists(root + "-clients/server")
		if err == nil && there == want {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("the mark of %s is there: %v, %v", root, there, err)
		}
	}
}

// TestLostMark ends the run's own session again and again while its clients' sessions live, and lets others sweep
// meanwhile. They must leave the run alone, and it must recreate its marker.
func TestLostMark(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	board := newSwitchboard(t, srv)
	c := direct(t, srv)
	ready, release := make(chan struct{}), make(chan struct{})
	cfg, list := byHand(unhurried, func(c zoo.Client, root string) error {
		if err := furnish(c, root); err != nil {
			return err
		}
		close(ready)
		<-release
		_, err := c.Create(root+"/many/last", nil, zoo.Persistent)
		return err
	})
	through := zktest.Server{Server: &apache.Server{Addr: board.addr}}
	r := &recorder{}
	done := make(chan error, 1)
	go func() { done <- runLive(t, &through, cfg, list, r, nil) }()
	<-ready
	sweeps, stop := context.WithCancel(context.Background())
	var sweeping sync.WaitGroup
	for range 2 {
		sweeping.Go(func() {
			for sweeps.Err() == nil {
				if err := live.SweepNow(sweeps, live.Base{Servers: []string{srv.Addr}, Path: base}); err != nil &&
					sweeps.Err() == nil {
					t.Log(err) // a busy machine loses connections
				}
			}
		})
	}
	for range 3 {
		board.end()
		board.marked(c, cfg.Root, false)
		if left := sweepNow(t, srv, base); len(left.Znodes) > 0 {
			t.Errorf("it has left %v", left)
		}
		board.hold(false)
		board.marked(c, cfg.Root, true)
		if names, _, err := c.Children(cfg.Root + "/many"); err != nil || len(names) != 100 {
			t.Errorf("%d znodes are left of 100; %v", len(names), err)
		}
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	stop()
	sweeping.Wait()
	if exit := r.find(t, "the client ends", is(event.ClientExited)); exit.Text != "" {
		t.Error(exit.Text)
	}
	absent(t, srv, cfg.Root)
}

// TestTakenForDead sweeps a run that has no live session. Its server comes back and must give up the run, whether or
// not some of it is left.
func TestTakenForDead(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	for name, guest := range map[string]bool{"empty": false, "with a guest": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			board := newSwitchboard(t, srv)
			s := newStranger(t, srv)
			root := live.NewRoot(base + "/" + strings.ReplaceAll(name, " ", "-"))
			list := []systems.Program{{Start: time.Hour, Main: systems.OnZooKeeper(func(zoo.Client) error { return nil })}}
			cfg := live.Config{Root: root, SessionTimeout: unhurried, Parents: []string{root + "/queue"}}
			through := zktest.Server{Server: &apache.Server{Addr: board.addr}}
			ready := make(chan struct{})
			r := &recorder{on: func(e event.Event) {
				if e.Kind == event.ZnodeCreated && e.Path == root+"/queue" {
					close(ready)
				}
			}}
			done := make(chan error, 1)
			go func() { done <- runLive(t, &through, cfg, list, r, nil) }()
			<-ready
			if guest {
				s.plant(root+"/queue/theirs", "", 0, anyone)
			}
			s.seal()
			board.end()
			left := sweepNow(t, srv, parentOf(root))
			leftAre(t, left, s.order)
			s.alone(root, "the sweep")
			if there, _, err := s.c.Exists(root); err != nil || there != guest {
				t.Errorf("the root is there: %v, %v", there, err)
			}
			board.hold(false)
			if err := <-done; err == nil || !strings.Contains(err.Error(), "considers this run dead") {
				t.Errorf("it ended with %v", err)
			}
			if end := r.find(t, "the end", is(event.RunEnded)); !strings.Contains(end.Text, "considers this run dead") {
				t.Errorf("the log ends with %q", end.Text)
			}
			s.intact("the run")
			s.leave(root)
			sweepNow(t, srv, parentOf(root))
			absent(t, srv, root)
		})
	}
}

func parentOf(path string) string { return path[:strings.LastIndexByte(path, '/')] }

// TestForeignBase checks that live refuses to run or sweep below a znode that wasn't created for runs, unless the
// operator allows it, and accepts one that an earlier version has created.
func TestForeignBase(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	s := newStranger(t, srv)
	s.plant("/jobs", "theirs", 0, anyone)
	s.plant("/secret-jobs", "made by zkviz", 0, onlyMe)
	s.plant("/empty", "", 0, anyone)
	s.seal()
	must(s.c.Create("/earlier", []byte("made by zkviz"), 0, anyone))
	must(s.c.Create("/earlier/mine", nil, 0, anyone)) // else it is removed
	nothing := func(c zoo.Client, root string) error { return nil }
	try := func(base string, foreign bool) (run, sweep error) {
		cfg, list := byHand(unhurried, nothing)
		cfg.Root, cfg.ForeignBase = live.NewRoot(base), foreign
		ctx, cancel := context.WithTimeout(context.Background(), longest)
		defer cancel()
		run = runLive(t, srv, cfg, list, &recorder{}, nil)
		return run, live.SweepNow(ctx, live.Base{Servers: []string{srv.Addr}, Path: base, Foreign: foreign})
	}
	for _, base := range []string{"/jobs", "/secret-jobs", "/empty"} {
		for _, err := range []error{first(try(base, false)), second(try(base, false))} {
			if !errors.Is(err, live.ErrNotOurs) || !strings.HasSuffix(sentence.Voice{Say: languages.English().Say}.Error(err),
				base+" exists and was not made by zkviz") {
				t.Errorf("below %s: %v", base, err)
			}
		}
	}
	s.intact("the refusals")
	for base, foreign := range map[string]bool{"/earlier": false, "/jobs": true, "/empty": true, "/jobs/new": false} {
		if run, sweep := try(base, foreign); run != nil || sweep != nil {
			t.Errorf("below %s: %v, %v", base, run, sweep)
		}
		if names, _, err := s.c.Children(base); err != zk.ErrNoNode && (err != nil || len(names) > 1) {
			t.Errorf("in %s there is %q; %v", base, names, err)
		}
	}
	for _, path := range []string{"/jobs", "/empty"} {
		if now, err := s.read(path); err != nil || now.data != s.mine[path].data ||
			now.stat.Czxid != s.mine[path].stat.Czxid || now.stat.NumChildren > 0 {
			t.Errorf("%s is %+v; %v", path, now, err)
		}
	}
}

func first(err, _ error) error  { return err }
func second(_, err error) error { return err }
