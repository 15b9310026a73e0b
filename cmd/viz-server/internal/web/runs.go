package web

import (
	"context"
	"net"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/cluster"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/phones"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/lessons"
)

// Cluster is the systems that the operator named: a ZooKeeper, others, or both.
type Cluster interface {
	room.ZooKeeper
	// Sweep removes what a crashed server left below the configured path.
	Sweep(ctx context.Context) error
}

// Zoo is a ZooKeeper inside this program for the reader's own clients. *embed.Server implements it.
type Zoo interface {
	// ConnectString returns the addresses for clients, separated by commas.
	ConnectString() string
	System() event.System
	Inject(f fault.Fault) error
	Dial() (net.Conn, error)
	// Observe implements room.Zoo.
	Observe(ctx context.Context, root string, sink event.Sink, max int, begun func(say func(event.Event) event.Seq)) error
}

// Redis is a Redis inside this program for the reader's own clients. *port.Server implements it.
type Redis interface{ room.Inside }

// newRuns makes the runs of a server.
func newRuns(cfg Config) *room.Runs {
	c := room.Config{
		Lesson:      func(slug string) (room.Lesson, bool) { return roomLesson(cfg.Book, slug) },
		Servers:     strings.Join(cfg.named().All(), ","),
		ReadOnly:    cfg.ReadOnly,
		Takes:       cfg.takes,
		Treeless:    len(cfg.ZK) == 0 && len(cfg.Elsewhere) > 0,
		Simulations: runtime.NumCPU() - 1,
		Log:         cfg.Log,
	}
	if cfg.Cluster != nil {
		c.ZooKeeper = cfg.relayed(advisedCluster{cfg.Cluster, cfg.requests}, cfg.named())
	}
	c.Named = map[string]room.ZooKeeper{}
	for _, n := range cfg.Named {
		c.Named[n.Name] = cfg.relayed(n.On, n.On)
	}
	if cfg.Zoo != nil {
		c.Zoo = inside{cfg.Zoo, cfg.phones}
	}
	if cfg.away != nil {
		c.Away = cfg.away.find
	}
	if cfg.Tap != nil {
		c.Inside = append(c.Inside, cfg.Tap)
	}
	if cfg.Past != nil {
		c.Past = cluster.History{Index: cfg.Past}
	}
	if cfg.Redis != nil {
		c.Inside = append(c.Inside, cfg.Redis)
	}
	if cfg.Owners != nil {
		c.Inside = append(c.Inside, cfg.Owners)
	}
	return room.New(c)
}

func roomLesson(book *lessons.Book, slug string) (room.Lesson, bool) {
	l, ok := book.Find(slug)
	if !ok {
		return room.Lesson{}, false
	}
	track := func(late bool) room.Tracker { return tracker{lessons.NewTracker(l, late)} }
	return room.Lesson{Scenario: l.Scenario, Track: track}, true
}

// tracker adapts a lesson's tracker to rooms.
type tracker struct{ of *lessons.Tracker }

func (t tracker) Track(e event.Event) bool {
	before := len(t.of.Positions())
	t.of.Append(e)
	return len(t.of.Positions()) > before
}

func (t tracker) Steps() []protocol.Step {
	rows := make([]protocol.Step, 0, len(t.of.Positions()))
	for i, p := range t.of.Positions() {
		s, told := t.of.Steps()[i], t.of.Told(i)
		rows = append(rows, protocol.Step{
			Anchor: p.Anchor, Seq: told.Seq, At: told.At, Again: s.Again, Linger: t.of.Lingers(i), Loop: s.Loop,
			Focus: s.Focus, Shows: s.Shows,
		})
	}
	return rows
}

// advisedCluster wraps a Cluster. It adds advice for the operator to errors, and counts requests.
type advisedCluster struct {
	Cluster
	requests *atomic.Uint64
}

func (c advisedCluster) Run(ctx context.Context, s run.Scenario, sink event.Sink, inject <-chan fault.Fault) error {
	return WithAdvice(c.Cluster.Run(ctx, s, event.Tee{requestCounter{c.requests}, sink}, inject))
}

// inside is a Zoo with contenders.
type inside struct {
	Zoo
	*phones.Phones
}

func (z inside) Place() string { return z.ConnectString() }
