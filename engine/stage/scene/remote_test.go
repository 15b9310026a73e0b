package scene_test

import (
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// farLog builds a State from events at nodes.
type farLog struct {
	s   *view.State
	seq event.Seq
	now time.Duration
}

// farRun starts a run of n clients, each connected to the first node.
func farRun(n int, systems ...event.System) *farLog {
	f := &farLog{s: view.NewFor(event.Header{Host: event.Simulated, Clients: n, Root: root, Systems: systems,
		Drawing: event.Drawing{Kind: event.DrawName, Gate: "lock"}})}
	for i := range n {
		a := event.Actor(i + 1)
		f.put(event.Event{Kind: event.ClientStarted, Actor: a})
		f.put(event.Event{Kind: event.ConnOpened, Actor: a, Peer: event.Node(1)})
		f.put(event.Event{Kind: event.RecipePhase, Actor: a, Text: string(program.Waiting)})
	}
	return f
}

// named makes the recipe declare one name that all want.
func (f *farLog) named(gate string) *farLog {
	f.s.Header.Drawing.Gate = gate
	return f
}

// at sets the time of the following events.
func (f *farLog) at(at time.Duration) *farLog {
	f.now = at
	return f
}

func (f *farLog) put(e event.Event) *farLog {
	f.seq++
	e.Seq, e.At = f.seq, f.now
	f.s.Apply(e)
	return f
}

func (f *farLog) set(node int, by event.Actor, path, text string, lasts time.Duration) *farLog {
	e := event.Event{Kind: event.EntrySet, Actor: event.Node(node), Peer: by, Path: path, Text: text}
	if lasts > 0 {
		e.N = int64(f.now + lasts)
	}
	return f.put(e)
}

func (f *farLog) gone(node int, path string, why event.Reason) *farLog {
	return f.put(event.Event{Kind: event.EntryGone, Actor: event.Node(node), Path: path, Reason: why})
}

func (f *farLog) says(a event.Actor, p program.Phase, path string) *farLog {
	return f.put(event.Event{Kind: event.RecipePhase, Actor: a, Text: string(p), Path: path})
}

// asks sends a request that stays under way for as long as most fixtures need.
func (f *farLog) asks(a event.Actor, node int, path, text string) *farLog {
	return f.put(event.Event{Kind: event.OpSent, Actor: a, Peer: event.Node(node), Op: event.Command, Path: path,
		Text: text, N: int64(300 * time.Millisecond)})
}

func (f *farLog) answers(node int, a event.Actor, text string, code int32) *farLog {
	return f.put(event.Event{Kind: event.MsgSent, Actor: event.Node(node), Peer: a, Op: event.Command, Text: text,
		Code: code, N: int64(300 * time.Millisecond)})
}

func (f *farLog) keeps(node int, a event.Actor, path string) *farLog {
	return f.put(event.Event{Kind: event.RequestWaits, Actor: event.Node(node), Peer: a, Path: path, Op: event.Command})
}

// begins makes a client begin a transaction and lock a row in it.
func (f *farLog) begins(a event.Actor, tx int64, row string) *farLog {
	node := event.Node(1)
	f.put(event.Event{Kind: event.TxBegan, Actor: node, Peer: a, Session: tx})
	if row == "" {
		return f
	}
	return f.put(event.Event{Kind: event.LockTaken, Actor: node, Peer: a, Path: row, Session: tx})
}

// end returns the State as of now.
func (f *farLog) end() *view.State {
	f.s.At = now
	return f.s
}

var (
	oneRedis   = event.System{Kind: event.RedisSystem, Servers: 1}
	twoRedis   = event.System{Kind: event.RedisSystem, Servers: 2}
	fiveRedis  = event.System{Kind: event.RedisSystem, Servers: 5, Apart: true}
	onePostgre = event.System{Kind: event.PostgresSystem, Servers: 1}
	oneEtcd    = event.System{Kind: event.EtcdSystem, Servers: 1}
)

// keyHeld returns n clients on one Redis, the first of which has set a key that expires after lasts. Others try, or
// have been refused.
func keyHeld(n int, lasts time.Duration) *farLog {
	f := farRun(n, oneRedis).at(8*time.Second).set(1, 1, root+"/lock", "client-1#1", lasts)
	f.says(1, program.Holding, root+"/lock").at(now - 150*time.Millisecond)
	if n > 1 {
		f.asks(2, 1, root+"/lock", "SET "+root+"/lock client-2#4 NX PX 10000")
	}
	if n > 2 {
		f.answers(1, 3, "(nil)", 0)
	}
	if n > 3 {
		f.put(event.Event{Kind: event.TryFailed, Actor: 4, N: int64(time.Second)})
	}
	return f
}

// forgotten returns a key without expiry whose client has crashed.
func forgotten(n int) *view.State {
	f := farRun(n, oneRedis).at(8*time.Second).set(1, 1, root+"/lock", "client-1#1", 0).
		put(event.Event{Kind: event.ClientCrashed, Actor: 1})
	for i := 2; i <= n; i++ {
		f.put(event.Event{Kind: event.TryFailed, Actor: event.Actor(i), N: int64(5 * time.Second)})
	}
	return f.end()
}

// bothBelieve returns a client that was paused for longer than its key lasted, and the next client inside.
func bothBelieve(n int) *view.State {
	lock := root + "/lock"
	return farRun(n, oneRedis).at(2*time.Second).set(1, 1, lock, "client-1#1", 5*time.Second).
		says(1, program.Holding, lock).at(3*time.Second).
		put(event.Event{Kind: event.ClientPaused, Actor: 1, N: int64(20 * time.Second)}).
		at(8*time.Second).gone(1, lock, event.ByTimer).
		at(9*time.Second).set(1, 2, lock, "client-2#7", 5*time.Second).says(2, program.Holding, lock).end()
}

// signalled returns a list that all clients but the first wait for.
func signalled(n int) *view.State {
	f := keyHeld(n, 10*time.Second)
	for i := n; i > 1; i-- {
		f.asks(event.Actor(i), 1, root+"/signal", "BLPOP "+root+"/signal 10").keeps(1, event.Actor(i), root+"/signal")
	}
	return f.end()
}

// subscribed returns a channel that all clients but the first two listen to, while the second subscribes.
func subscribed(n int) *view.State {
	channel := root + "/released"
	f := keyHeld(1, 10*time.Second).at(now - 100*time.Millisecond)
	for i := 2; i <= n; i++ {
		f.put(event.Event{Kind: event.OpSent, Actor: event.Actor(i), Peer: event.Node(1), Op: event.Command, Path: channel,
			Text: "SUBSCRIBE " + channel, Watch: event.PersistentWatch, N: int64(300 * time.Millisecond)})
		if i > 2 {
			f.put(event.Event{Kind: event.OpDone, Actor: event.Actor(i), Peer: event.Node(1), Op: event.Command, Path: channel,
				Text: "[subscribe " + channel + " 1]"})
		}
	}
	return f.end()
}

// lostTail returns a primary that was replaced before its replica had received a key.
func lostTail(n int) *view.State {
	lock, first, second := root+"/lock", event.Node(1), event.Node(2)
	return farRun(n, twoRedis).at(10*time.Second).set(1, 1, lock, "client-1#1", 10*time.Second).
		says(1, program.Holding, lock).at(now-300*time.Millisecond).
		put(event.Event{Kind: event.RolePlayed, Actor: second, Text: event.RolePrimary}).
		put(event.Event{Kind: event.RolePlayed, Actor: first, Text: event.RoleReplica, Peer: second}).
		gone(1, lock, event.ByFailover).
		put(event.Event{Kind: event.ConnOpened, Actor: 2, Peer: second}).
		set(2, 2, lock, "client-2#3", 10*time.Second).says(2, program.Holding, lock).
		put(event.Event{Kind: event.MsgSent, Actor: second, Peer: first, Op: event.Replicate, Path: lock,
			Text: "SET " + lock + " client-2#3 PXAT 21000", N: int64(time.Second)}).end()
}

// following returns a primary and two replicas: one is down, and a message to the other is lost.
func following() *view.State {
	f := farRun(3, event.System{Kind: event.RedisSystem, Servers: 3}).at(5*time.Second).
		set(1, 1, root+"/lock", "client-1#1", 10*time.Second).set(2, 1, root+"/lock", "client-1#1", 10*time.Second).
		set(1, 0, root+"/fence", "7", 0).says(1, program.Holding, root+"/lock").
		put(event.Event{Kind: event.ServerStopped, Actor: event.Node(3)})
	f.at(now - 300*time.Millisecond).put(event.Event{Kind: event.MsgSent, Actor: event.Node(1), Peer: event.Node(2),
		Op: event.Replicate, Path: root + "/fence", Text: "INCR", N: int64(400 * time.Millisecond)})
	return f.put(event.Event{Kind: event.MsgDropped, Actor: event.Node(1), Peer: event.Node(2), Op: event.Replicate,
		Cause: f.seq}).end()
}

// majority returns a client with its key at three of five nodes, and another with its own at one; one node is down.
func majority(n int) *view.State {
	f := farRun(n, fiveRedis).at(9 * time.Second)
	for node := 1; node <= 3; node++ {
		f.set(node, 1, root+"/lock", "client-1#1", 10*time.Second)
	}
	f.says(1, program.Holding, root+"/lock")
	if n > 1 {
		f.set(4, 2, root+"/lock", "client-2#1", 10*time.Second)
	}
	f.put(event.Event{Kind: event.ServerStopped, Actor: event.Node(5)}).
		put(event.Event{Kind: event.ClockJumped, Actor: event.Node(3), N: int64(4 * time.Second)})
	f.at(now - 150*time.Millisecond)
	for node := 1; node <= 5 && n > 2; node++ {
		f.asks(3, node, root+"/lock", "SET "+root+"/lock client-3#1 NX PX 10000")
	}
	return f.end()
}

// database returns a run on a database: one client has locked a row and written it, others wait for it, and the node's
// clock was changed.
func database(n int) *view.State {
	const row = "zkviz_rows/1"
	f := farRun(n, event.System{Kind: event.PostgresSystem, Servers: 2}).named("").
		put(event.Event{Kind: event.EntrySet, Actor: event.Node(1), Path: row, Text: "7", Zxid: 3}).
		at(2*time.Second).begins(1, 5, row).says(1, program.Holding, row).
		put(event.Event{Kind: event.EntrySet, Actor: event.Node(1), Peer: 1, Path: row, Text: "8", Zxid: 4, Session: 5}).
		at(4 * time.Second)
	for i := n; i > 1; i-- {
		f.asks(event.Actor(i), 1, row, "SELECT n FROM rows WHERE id = 1 FOR UPDATE").keeps(1, event.Actor(i), row)
	}
	return f.put(event.Event{Kind: event.ClockJumped, Actor: event.Node(1), N: int64(-30 * time.Second)}).end()
}

// troubled returns a database whose clients are in every kind of trouble: one has an advisory lock and is stalled, one
// has an idle transaction, one has vanished, one is about to get a notification, and one has lost its request.
func troubled() *view.State {
	const name = "advisory/17"
	f := farRun(7, onePostgre).named("").at(3*time.Second).
		put(event.Event{Kind: event.LockTaken, Actor: event.Node(1), Peer: 1, Path: name}).
		says(1, program.Holding, name).begins(2, 9, "").
		put(event.Event{Kind: event.EntrySet, Actor: event.Node(1), Peer: 3, Path: "items/4", Text: "job", Session: 11}).
		at(8*time.Second).put(event.Event{Kind: event.ProcessStalled, Actor: 1, N: int64(20 * time.Second)}).
		put(event.Event{Kind: event.ClientVanished, Actor: 4}).put(event.Event{Kind: event.ClientCrashed, Actor: 4}).
		at(now-400*time.Millisecond).gone(1, "items/4", event.ByRollback).
		put(event.Event{Kind: event.PushSent, Actor: event.Node(1), Peer: 5, Path: "items", Text: "new",
			N: int64(time.Second)}).
		answers(1, 6, "ERROR: current transaction is aborted", 1).
		asks(7, 1, name, "SELECT pg_advisory_lock(17)")
	return f.put(event.Event{Kind: event.MsgDropped, Actor: 7, Peer: event.Node(1), Op: event.Command, Cause: f.seq}).end()
}

// leases returns a queue of keys at etcd, each attached to its client's lease, a lease without a key, one with two, and
// an expired one.
func leases(n int) *view.State {
	f := farRun(n, oneEtcd).named("").at(6 * time.Second)
	node := event.Node(1)
	for i := range n {
		a := event.Actor(i + 1)
		f.put(event.Event{Kind: event.LeaseGranted, Actor: node, Peer: a, Session: int64(100 + i),
			N: int64(f.now + 10*time.Second)})
		if i == n-1 && n > 2 {
			continue
		}
		f.put(event.Event{Kind: event.EntrySet, Actor: node, Peer: a, Path: fmt.Sprintf("%s/lock/694d%02x", root, 100+i),
			Zxid: int64(7 + i), Session: int64(100 + i)})
	}
	f.says(1, program.Holding, root+"/lock/694d64")
	for i := 1; i < n-1; i++ {
		ahead := fmt.Sprintf("%s/lock/694d%02x", root, 99+i)
		f.put(event.Event{Kind: event.OpSent, Actor: event.Actor(i + 1), Peer: node, Op: event.Command, Path: ahead,
			Text: "watch " + ahead, Watch: event.DataWatch})
		f.put(event.Event{Kind: event.OpDone, Actor: event.Actor(i + 1), Peer: node, Op: event.Command, Path: ahead})
	}
	if n > 3 {
		f.put(event.Event{Kind: event.EntrySet, Actor: node, Peer: 1, Path: root + "/state", Text: "busy", Zxid: 20,
			Session: 100})
		f.at(now-time.Second).put(event.Event{Kind: event.LeaseEnded, Actor: node, Peer: 3, Session: 102,
			Reason: event.ByTimer}).gone(1, root+"/lock/694d66", event.ByLease)
		f.put(event.Event{Kind: event.PushSent, Actor: node, Peer: 4, Path: root + "/lock/694d66", Text: "DELETE",
			N: int64(2 * time.Second)})
	}
	return f.end()
}

// besideDatabase returns a ZooKeeper together with a database.
func besideDatabase(n int) *view.State {
	s := queued("predecessor-lock", n)
	f := farRun(n, event.System{Kind: event.ZooKeeperSystem, Servers: 1}, onePostgre).at(9*time.Second).
		set(1, 1, "stock/1", "3", 0).begins(1, 5, "stock/1").at(now-150*time.Millisecond).
		asks(1, 1, "stock/1", "UPDATE stock SET n = 2 WHERE id = 1")
	s.Header.Systems, s.Header.Drawing.Stores = f.s.Header.Systems, nil
	s.Remotes = f.s.Remotes
	s.Flights.List = append(s.Flights.List, f.s.Flights.List...)
	return s
}

// fullNode returns more entries than fit.
func fullNode(n int) *view.State {
	f := farRun(3, oneRedis).at(9 * time.Second)
	for i := range n {
		f.set(1, event.Actor(i%4), fmt.Sprintf("%s/key-%d", root, i), fmt.Sprint("value ", i),
			time.Duration(i%5)*time.Second)
	}
	return f.end()
}

// farFixtures are pictures of nodes.
func farFixtures() map[string]*view.State {
	return map[string]*view.State{
		"held":       keyHeld(4, 10*time.Second).end(),
		"ending":     keyHeld(6, 4500*time.Millisecond).end(),
		"held1":      keyHeld(1, 10*time.Second).end(),
		"visited":    visitedRedis(4),
		"visited30":  visitedRedis(30),
		"held50":     keyHeld(50, 10*time.Second).end(),
		"held400":    keyHeld(400, 10*time.Second).end(),
		"forgotten":  forgotten(4),
		"believe":    bothBelieve(3),
		"signalled":  signalled(5),
		"signalled9": signalled(40),
		"subscribed": subscribed(5),
		"channel20":  subscribed(20),
		"losttail":   lostTail(3),
		"following":  following(),
		"majority":   majority(4),
		"majority1":  majority(1),
		"majority12": majority(12),
		"database":   database(4),
		"database30": database(30),
		"troubled":   troubled(),
		"leases":     leases(5),
		"leases20":   leases(20),
		"besidedb":   besideDatabase(4),
		"besidedb20": besideDatabase(20),
		"fullnode":   fullNode(9),
		"fullnodes":  fullNode(200),
	}
}
