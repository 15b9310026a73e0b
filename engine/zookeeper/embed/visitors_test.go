package embed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// lasting is the timeout in ms of sessions that tests end themselves.
const lasting = 3_600_000

// come connects a client.
func come(t *testing.T, dial func() (net.Conn, error)) *peer.Peer {
	t.Helper()
	sock, err := dial()
	if err != nil {
		t.Fatal(err)
	}
	p, err := peer.New(sock, wire.ConnectRequest{TimeoutMS: lasting})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// place is the prefix of the names in the queue /q.
const place = "/q/x-"

func take(t *testing.T, p *peer.Peer, path string, mode zoo.CreateMode) {
	t.Helper()
	r, _, err := p.Do(wire.Request{Op: wire.OpCreate, Path: path, ACL: zoo.OpenACL(), Flags: int32(mode)})
	if err != nil || r.Code != zoo.OK {
		t.Fatal(r.Code, err)
	}
}

// onlooker reads logs of /q, one after another, and checks that each tells all clients apart.
type onlooker struct {
	t     *testing.T
	logs  int
	state *view.State
	who   map[event.Actor]int64 // by the log's client numbers
	until func(*view.State, event.Event)
}

func (o *onlooker) Append(e event.Event) {
	if e.Kind == event.RunStarted {
		o.logs, o.state, o.who = o.logs+1, view.New(), map[event.Actor]int64{}
	}
	if err := e.Valid(); err != nil {
		o.t.Error(err)
	}
	if e.Kind == event.SessionCreated {
		if had := o.who[e.Peer]; had != 0 {
			o.t.Errorf("%v has the session %#x, and had %#x", e.Peer, e.Session, had)
		}
		o.who[e.Peer] = e.Session
	}
	o.state.Apply(e)
	if o.until != nil {
		o.until(o.state, e)
	}
}

// look reads logs until ctx ends.
func (o *onlooker) look(ctx context.Context, of source) error {
	for {
		if err := observe(ctx, of, "/q", o, 0, nil); !errors.Is(err, event.ErrLogFull) {
			return err
		}
	}
}

// comeAndGo lets clients come and go under observation, and then checks the last one: it is a client with a znode
// of its own.
func comeAndGo(t *testing.T, of source, dial func() (net.Conn, error), sessions int) *onlooker {
	t.Helper()
	first := come(t, dial)
	defer first.Abort()
	take(t, first, "/q", zoo.Persistent)
	take(t, first, place, zoo.EphemeralSequential)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o := &onlooker{t: t}
	looked := make(chan error)
	go func() { looked <- o.look(ctx, of) }()
	for range sessions {
		p := come(t, dial)
		take(t, p, place, zoo.EphemeralSequential)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := <-looked; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	last := come(t, dial)
	defer last.Abort()
	take(t, last, place, zoo.EphemeralSequential)
	present(t, of, fmt.Sprintf("%s%010d", place, sessions+1))
	return o
}

// present checks that a new log shows exactly two clients: the owner of the first znode and the owner of this one.
func present(t *testing.T, of source, path string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	owners := map[string]event.Actor{}
	o := &onlooker{t: t, until: func(_ *view.State, e event.Event) {
		if e.Kind == event.ZnodeCreated && e.Peer != event.ZooKeeper {
			owners[e.Path] = e.Peer
		}
		if len(owners) == 2 {
			cancel()
		}
	}}
	if err := o.look(ctx, of); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if owners[place+"0000000000"]+owners[path] != 1+2 || len(o.who) != 2 {
		t.Errorf("the znodes are of %v, the clients %v", owners, o.who)
	}
}

// TestManySessions lets more clients come than a log has numbers for.
func TestManySessions(t *testing.T) {
	s, err := Listen(Config{MaxTimeout: lasting * 1e6})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	o := comeAndGo(t, s, s.Dial, 25_000)
	if o.logs < 2 {
		t.Error("no log has become full of clients")
	}
}

// TestNumbersComeAgain uses up the clients' numbers repeatedly, on a port and with a data file. A client that stays
// keeps its number, and no log gives one number to two clients.
func TestNumbersComeAgain(t *testing.T) {
	config := Config{MaxTimeout: lasting * 1e6, Data: filepath.Join(t.TempDir(), "data")}
	s, err := Listen(config)
	if err != nil {
		t.Fatal(err)
	}
	s.visitors.Most = 30
	port := func() (net.Conn, error) { return net.Dial("tcp", s.Addr().String()) }
	comeAndGo(t, s, port, 200)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Listen(config); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	present(t, s, place+"0000000201")
}

// TestNumbersComeAgainInAnEnsemble does what TestNumbersComeAgain does at three servers, which must agree on the
// numbers.
func TestNumbersComeAgainInAnEnsemble(t *testing.T) {
	e, err := ListenEnsemble(EnsembleConfig{Config: Config{MaxTimeout: lasting * 1e6}, Servers: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	e.visitors.Most = 30
	comeAndGo(t, e, e.Dial, 100)
}
