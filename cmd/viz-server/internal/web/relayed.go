package web

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/relay"
	"github.com/zkviz/zkviz/engine/run/room"
)

// relayed is a ZooKeeper whose observations several servers share.
type relayed struct {
	room.ZooKeeper
	on    cluster.Cluster
	among *relay.Relay
}

// mayShare reports whether other servers may have what is seen of a cluster: not of one to which this server
// authenticates itself, since others needn't be allowed to see what it reads.
func mayShare(on cluster.Cluster) bool {
	return len(on.Servers) > 0 && len(on.Access.Auth) == 0 &&
		(on.Access.TLS == nil || len(on.Access.TLS.Certificates) == 0)
}

// relayed returns a ZooKeeper whose observations are shared, if they may be.
func (c Config) relayed(zk room.ZooKeeper, on cluster.Cluster) room.ZooKeeper {
	if c.Live == nil || !mayShare(on) {
		return zk
	}
	return relayed{zk, on, c.Live}
}

// groupOf names an ensemble, the same at all servers that name the same addresses.
func groupOf(on cluster.Cluster) string {
	servers := slices.Sorted(slices.Values(on.Servers))
	return strings.Join(servers, ",") + on.Access.Chroot
}

func (z relayed) group() string { return groupOf(z.on) }

// errAfresh says that an observation can't go on with a log: an ensemble's transactions have no place for that.
var errAfresh = errors.New("a log of transactions begins anew")

// whyElsewhere is why an observation ended with whose log another goes on.
const whyElsewhere = "the server of zkviz that observed is gone"

// Observe implements room.ZooKeeper.
func (z relayed) Observe(ctx context.Context, h event.Header, sink event.Sink) error {
	return z.among.Observe(ctx, relay.Observation{
		Group: z.group(), Path: string(h.Host) + h.Root, Max: room.MaxLiveEvents, Ask: z.ZooKeeper.AskWatches,
		Source: func(ctx context.Context, after iter.Seq[event.Event], sink event.Sink) error {
			switch {
			case after == nil:
				return z.ZooKeeper.Observe(ctx, h, sink)
			case h.Host != event.Observed:
				return errAfresh
			}
			return z.on.ObserveAfter(ctx, h, cluster.After{Events: after, Why: whyElsewhere}, sink)
		},
	}, sink)
}

// AskWatches implements room.ZooKeeper.
func (z relayed) AskWatches(ctx context.Context) error {
	return z.among.Ask(ctx, z.group(), z.ZooKeeper.AskWatches)
}
