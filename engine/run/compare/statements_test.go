package compare_test

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/host/realtime"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/testing/sqltest"
	_ "github.com/zkviz/zkviz/recipes"
)

// TestBytesOfStatements runs recipes on real databases, and counts the bytes on open connections: the log gives the
// same number.
func TestBytesOfStatements(t *testing.T) {
	p, m := sqltest.SharedPostgres(t), sqltest.SharedMariaDB(t)
	m.Database = ""
	for kind, node := range map[event.SystemKind]func(string) real.Node{event.PostgresSystem: p.Node,
		event.MySQLSystem: m.Node} {
		for name, clients := range map[string]int{"pg-advisory": 3, "db-unique-row": 2, "db-for-update": 1,
			"db-version": 1, "skip-locked-queue": 2} {
			t.Run(name+" on "+string(kind), func(t *testing.T) {
				t.Parallel()
				var bytes atomic.Int64
				s := run.Scenario{Recipe: name, Clients: clients, Rounds: 2, Hold: 20 * time.Millisecond,
					Root: real.NewRoot(), Database: kind}.WithDefaults()
				r, _ := recipe.Find(name)
				meter := compare.NewMeter(s.Header(event.Cluster))
				cfg := realtime.Config{Nodes: []real.Node{counted(node(s.Root), &bytes)}, Root: s.Root, Recipe: name}
				if err := realtime.Run(t.Context(), cfg, s.Processes(s.On(r)), meter, nil); err != nil {
					t.Fatal(err)
				}
				if got := meter.Row().Bytes; got != bytes.Load() || got == 0 {
					t.Errorf("%d bytes by the log, and %d on the connections", got, bytes.Load())
				}
			})
		}
	}
}

// counted returns a node that adds up the bytes on its connections.
func counted(n real.Node, bytes *atomic.Int64) real.Node {
	dial := n.Dial
	n.Dial = func(ctx context.Context, d real.Dialer) (real.Wire, error) {
		var open atomic.Bool
		w, err := dial(ctx, func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := d(ctx, network, addr)
			return counter{c, bytes, &open}, err
		})
		open.Store(true)
		return w, err
	}
	return n
}

// counter is a connection that adds up its bytes once it is open.
type counter struct {
	net.Conn
	bytes *atomic.Int64
	open  *atomic.Bool
}

// Read implements net.Conn.
func (c counter) Read(b []byte) (int, error) { return c.count(c.Conn.Read(b)) }

// Write implements net.Conn.
func (c counter) Write(b []byte) (int, error) { return c.count(c.Conn.Write(b)) }

func (c counter) count(n int, err error) (int, error) {
	if c.open.Load() {
		c.bytes.Add(int64(n))
	}
	return n, err
}

// TestBytesOfAnswers adds up by hand what else may be on the connections to a database.
func TestBytesOfAnswers(t *testing.T) {
	sent := func(text string) event.Event {
		return event.Event{Kind: event.OpSent, Actor: 1, Peer: event.Node(1), Op: event.Command, Text: text}
	}
	done := func(text string, code int32) event.Event {
		return event.Event{Kind: event.OpDone, Actor: 1, Peer: event.Node(1), Op: event.Command, Text: text, Code: code}
	}
	const ready = 6
	for name, c := range map[string]struct {
		kind event.SystemKind
		log  []event.Event
		want int
	}{
		"a statement": {event.PostgresSystem,
			[]event.Event{sent("COMMIT")},
			len("Q....COMMIT.")},
		"no answer": {event.PostgresSystem,
			[]event.Event{sent("COMMIT"), done("", int32(program.ErrLost))},
			12},
		"its answer": {event.PostgresSystem,
			[]event.Event{sent("COMMIT"), done("COMMIT", 0)},
			12 + len("C....COMMIT.") + ready},
		"PostgreSQL's error": {event.PostgresSystem,
			[]event.Event{done("ERROR 40P01: deadlock detected", 1)},
			len("E....SERROR.VERROR.C40P01.Mdeadlock detected..") + ready},
		"a notification": {event.PostgresSystem,
			[]event.Event{{Kind: event.PushDelivered, Path: "left", Text: "me"}},
			len("A........left.me.")},
		"MariaDB's statement": {event.MySQLSystem,
			[]event.Event{sent("COMMIT")},
			len("....QCOMMIT")},
		"MariaDB's error": {event.MySQLSystem,
			[]event.Event{done("ERROR 1213 (40001): Deadlock found", 1)},
			len(".....nn#40001Deadlock found")},
		"what does not end": {event.MySQLSystem,
			[]event.Event{sent(strings.Repeat("x", event.MaxText))},
			0},
		"what is not a system": {event.EtcdSystem,
			[]event.Event{sent("COMMIT")},
			0},
	} {
		m := compare.NewMeter(event.Header{Systems: []event.System{{Kind: c.kind, Servers: 1}}})
		for _, e := range c.log {
			m.Append(e)
		}
		if got := m.Row().Bytes; got != int64(c.want) {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}
