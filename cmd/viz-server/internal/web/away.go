package web

import (
	"context"
	"iter"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/classes"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/phones"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/relay"
	"github.com/zkviz/zkviz/engine/run/room"
)

// away shows the ZooKeeper in which a class's clients are at other servers than the one that it is inside.
type away struct {
	among  *relay.Relay
	system event.System // that of all servers

	// Set by open.
	runs    *room.Runs
	classes *classes.Pages
}

// forLearners returns learners' clients, which are shown at other servers as well.
func (c Config) forLearners() (*phones.Phones, *away) {
	on := phones.Config{Dial: c.Zoo.Dial}
	if c.Live == nil {
		return phones.New(on), nil
	}
	a := &away{among: c.Live, system: c.Zoo.System()}
	on.Offer = a.offer
	return phones.New(on), a
}

// open is called before anybody can begin a class.
func (a *away) open(runs *room.Runs, classes *classes.Pages) {
	if a != nil {
		a.runs, a.classes = runs, classes
	}
}

// ofClasses is the group of what is observed for classes.
const ofClasses = "classes"

// pathOf names what is seen of a class at a path, the same at all servers.
func pathOf(class, path string) string { return class + path }

// offer shows other servers what is seen here below a path, where a class's clients are, until ctx ends.
func (a *away) offer(ctx context.Context, class, path string) {
	a.among.Offer(ctx, relay.Observation{
		Group: ofClasses, Path: pathOf(class, path), Max: room.MaxLiveEvents,
		Source: func(ctx context.Context, _ iter.Seq[event.Event], sink event.Sink) error {
			return a.runs.ReportZoo(ctx, room.ClientKey("class "+class), path, sink)
		},
	})
}

// find implements room.Config.Away.
func (a *away) find(class, path string) (room.Inside, error) {
	c := a.classes.Known(class)
	switch {
	case c == nil:
		return nil, room.Busy{Why: sentence.Error("refused.zoo.class", sentence.Quote(class)), Again: time.Second}
	case c.IsAway(path):
		return zooAway{a, class, path}, nil
	}
	return nil, nil
}

// zooAway is a ZooKeeper inside another server, with a class's clients. It implements room.Inside.
type zooAway struct {
	*away
	class, path string
}

// Place implements room.Inside. What other servers show has no address.
func (z zooAway) Place() string { return "" }

func (z zooAway) System() event.System { return z.system }

// Inject refuses every fault.
func (z zooAway) Inject(fault.Fault) error { return room.ErrZooAway }

// Observe implements room.Inside.
func (z zooAway) Observe(
	ctx context.Context, _ string, sink event.Sink, _ int, _ func(func(event.Event) event.Seq),
) error {
	return z.among.See(ctx, ofClasses, pathOf(z.class, z.path), sink)
}
