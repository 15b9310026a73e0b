package capture

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// Cluster reconstructs the state of a ZooKeeper from the traffic on connections to it, and its causes and effects:
// which write changed what, which change fired which watch, which session's end deleted which znodes. It reports what
// the server does. A client's host reports what the client learns when it passes the frames on.
//
// It sees each client's connection separately, so the facts may arrive in another order than the server's. Where that
// would make the log wrong, a frame waits until everything before it is known.
type Cluster struct {
	emit  func(event.Event) event.Seq
	look  func()
	ended func()

	tree    tree
	clients map[*Client]struct{} // whose sessions may still be open
	writes  writes
	pending []*notice    // watch events without a known cause
	held    []*held      // answers that wait for answers to earlier writes
	looks   int          // number of looks begun
	looked  int          // the last look that saw everything
	asOf    int64        // see AsOf
	others  []lostCreate // creates that may have made a found znode, though that can't be proved

	patience time.Duration
}

// NewCluster returns the Cluster of an unknown ZooKeeper. It calls emit to append an event to the log, which returns
// the event's number. It calls look to request a look at sessions that may be over, see BeginLook, and ended when a
// session has ended and all consequences are reported.
func NewCluster(emit func(event.Event) event.Seq, look, ended func()) *Cluster {
	return &Cluster{emit: emit, look: look, ended: ended, tree: newTree(), clients: map[*Client]struct{}{},
		writes: newWrites(), patience: CausePatience}
}

// Impatient limits to d how long the cluster holds a frame once nothing is left to wait for. It suits a host that
// delays nothing itself, whose facts arrive almost in order.
func (w *Cluster) Impatient(d time.Duration) { w.patience = d }

// AsOf returns the zxid of the latest answer, 0 if there was none: its contents were true then.
func (w *Cluster) AsOf() int64 { return w.asOf }

// Client is a client of the cluster, across all its connections.
type Client struct {
	ID event.Actor
	// Inbound reports that this many more watch events are on their way to the client, or fewer if negative; required.
	Inbound func(more int)
	// Latency returns how long each of the client's messages is delayed; required.
	Latency func() time.Duration

	Session  int64         // 0 before it has a session
	Timeout  time.Duration // the session's
	Gone     bool          // the server has ended the session
	Silenced event.Seq     // why the server can't hear the client, if so
	// Overdue reports whether the client was silent for so long that its session may have ended. It is nil if the host
	// finds that out in another way.
	Overdue func() bool

	owned []string     // its ephemeral znodes
	lost  []lostCreate // its latest creates of ephemerals whose outcome nobody was told
}

// flight returns each message's delay in the log's unit; 0 if only the network decides.
func (c *Client) flight() int64 { return int64(c.Latency()) }

// Conn is one connection of a client.
type Conn struct {
	w *Cluster
	c *Client
	// asked is called for a request before anything follows from it. It claims the request to have it logged.
	asked func(*Request)
	// ready is called when a frame may go on to the client, with its event in the log.
	ready func(*Frame)

	hello     event.Seq // the handshake's event, 0 before it was sent
	helloLost bool
	welcomed  bool  // the handshake is answered
	relative  int64 // the last zxid that the client had seen before
	pings     []event.Seq
	inflight  map[int32]*Request
	rearming  map[zkclient.Key]bool // requested again, without an answer yet
	armed     map[zkclient.Key]*armed
	lastFired map[string]int64 // the zxid of the last event of a persistent watch, for each znode
}

// Connect returns a new connection of a client. It calls asked for each request except pings and setWatches; the log
// has those that asked claims. It calls ready for each frame once it may go on to the client.
func (w *Cluster) Connect(c *Client, asked func(*Request), ready func(*Frame)) *Conn {
	w.clients[c] = struct{}{}
	return &Conn{
		w: w, c: c, asked: asked, ready: ready,
		inflight: map[int32]*Request{}, rearming: map[zkclient.Key]bool{}, armed: map[zkclient.Key]*armed{},
	}
}

// Resume returns a connection that was welcomed earlier and whose traffic since then is unknown.
func (w *Cluster) Resume(c *Client, asked func(*Request), ready func(*Frame)) *Conn {
	l := w.Connect(c, asked, ready)
	l.welcomed = true
	return l
}

// Welcomed reports whether the handshake is answered.
func (l *Conn) Welcomed() bool { return l.welcomed }

// Relative returns the last zxid that the client had seen before it connected.
func (l *Conn) Relative() int64 { return l.relative }

// Awaits reports whether a write was sent and is unanswered.
func (w *Cluster) Awaits(r *Request) bool { return w.writes.has(r) }

// Contested reports whether writes other than but are under way at a znode. Any of them may be the cause of what is
// seen there.
func (w *Cluster) Contested(znode string, but *Request) bool {
	for r := range w.writes.at[znode] {
		if r != but && r.Passed {
			return true
		}
	}
	return false
}

// Settle releases the frames that no longer have to wait.
func (w *Cluster) Settle(now time.Time) {
	w.settleHeld(now)
	w.settleNotices(now)
}

// BeginLook returns the number of a new look at sessions that may be over, for Looked.
func (w *Cluster) BeginLook() int {
	w.looks++
	return w.looks
}

// Looked reports that a look has seen everything.
func (w *Cluster) Looked(look int, now time.Time) {
	w.looked = look
	w.settleNotices(now)
}

func (w *Cluster) sessionEnds(c *Client, kind event.Kind, zxid int64, cause event.Seq, now time.Time) {
	if w.end(c, kind, zxid, cause) {
		w.settleNotices(now)
		w.ended()
	}
}

// end logs a session's end and the deletion of its znodes. It returns false if the end is already known.
func (w *Cluster) end(c *Client, kind event.Kind, zxid int64, cause event.Seq) bool {
	if c.Gone || c.Session == 0 {
		return false
	}
	c.Gone, c.lost = true, nil
	w.others = slices.DeleteFunc(w.others, func(l lostCreate) bool { return l.of.By == c && l.op.Mode.IsEphemeral() })
	delete(w.clients, c)
	why := event.BySessionClosed
	if kind == event.SessionExpired {
		why = event.BySessionExpired
	}
	seq := w.emit(event.Event{Kind: kind, Peer: c.ID, Session: c.Session, Zxid: zxid, Cause: cause})
	for _, znode := range slices.Clone(c.owned) {
		over := why
		if z := w.tree.znodes[znode]; z != nil && z.doubt != nil { // a delete of it may have come first, and nobody can tell
			over = event.ByUnknown
		}
		w.Deleted(znode, c.ID, over, zxid, seq)
	}
	return true
}
