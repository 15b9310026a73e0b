package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// zookeeper stands for a standalone server, or for an ensemble's servers.
type zookeeper interface {
	// createParents creates znodes that exist before anyone starts.
	createParents(parents []string)
	// whenReady calls do once clients can connect.
	whenReady(do func())

	// connect begins a new connection of the client, after pause if that isn't 0. Its answer may take slack longer
	// than a standalone server's.
	connect(c *client) *conn
	pause(c *client) time.Duration
	slack() time.Duration

	receive(a *action)
	tick()
	step(a *action)
	checkSessions(id zab.ID)
	linkHealed(c *client, id zab.ID)

	// stop takes ZooKeeper down as a whole for d. start brings it up.
	stop(d time.Duration, cause event.Seq)
	start()
	inject(f fault.Fault)
	expire(session int64, cause event.Seq)
	// lost ends a broken connection at the server.
	lost(k *conn, cause event.Seq)

	// sessions returns their number. quiet reports whether no message between servers is under way, healthy whether
	// none is down or cut off.
	sessions() int
	quiet() bool
	healthy() bool
}
