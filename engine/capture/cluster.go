package capture

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
)

// Cluster is what is known of a ZooKeeper by what passes on connections to it, and what that says about causes: which
// write changed what, which change fired which watch, whose znodes went with which session. It reports what the server
// does; what a client learns, its host reports as it hands the frames over.
//
// Its clients' connections are seen one by one, so the facts come in another order than that in which the server made
// them. Where that would lead to a wrong log, a frame waits until what came before it is known.
type Cluster struct {
	emit  func(event.Event) event.Seq
	look  func()
	ended func()

	tree    tree
	clients map[*Client]struct{} // whose sessions are not known to be over
	writes  writes
	pending []*notice // watch events whose cause is not known yet
	held    []*held   // answers that wait for those to earlier writes
	looks   int       // how many looks have begun
	looked  int       // the last of them that saw all that there was to see
	asOf    int64     // see AsOf
	others  []lost    // creates that may have made what is found, of which it can't be told whether they have

	patience time.Duration
}

// NewCluster is of a ZooKeeper of which nothing is known. It calls emit to append an event to the log, which returns
// its number; look to ask for a look at the sessions that may be over, see BeginLook; and ended when a session has
// ended and all is reported that follows.
func NewCluster(emit func(event.Event) event.Seq, look, ended func()) *Cluster {
	return &Cluster{emit: emit, look: look, ended: ended, tree: newTree(), clients: map[*Client]struct{}{},
		writes: newWrites(), patience: CausePatience}
}

// Impatient has the cluster hold back frames for no longer than d once nothing is left that they wait for: the facts
// of a host that holds up nothing itself come in nearly their order.
func (w *Cluster) Impatient(d time.Duration) { w.patience = d }

// AsOf returns the zxid of the answer that was seen last, 0 before there was one: what it tells was so then.
func (w *Cluster) AsOf() int64 { return w.asOf }

// Client is a client of the cluster, through as many connections as it has.
type Client struct {
	ID event.Actor
	// Inbound says that so many more watch events are on their way to the client, or less; required.
	Inbound func(more int)
	// Latency tells how long each message of the client's is held up; required.
	Latency func() time.Duration

	Session  int64         // 0 before it has one
	Timeout  time.Duration // of the session
	Gone     bool          // the server has ended the session
	Silenced event.Seq     // why the server hears nothing of the client, if it does not
	// Overdue reports whether nothing was heard of the client for so long that its session may have ended; nil if its
	// host finds that out otherwise.
	Overdue func() bool

	owned []string // its ephemeral znodes
	lost  []lost   // its latest creates of such, of which nobody was told what came of them
}

// flight is how long each message is held up, in the log's unit; 0 if only the network decides.
func (c *Client) flight() int64 { return int64(c.Latency()) }

// Conn is one connection of a client.
type Conn struct {
	w *Cluster
	c *Client
	// asked is told of a request before anything follows from it. It claims it if it is to be in the log.
	asked func(*Request)
	// ready is told that a frame may go on to the client, with its event in the log.
	ready func(*Frame, time.Time)

	hello     event.Seq // the handshake's event, 0 before it was sent
	helloLost bool
	welcomed  bool  // the handshake was answered
	relative  int64 // the last zxid that the client had seen before
	pings     []event.Seq
	inflight  map[int32]*Request
	rearming  map[process.Key]bool // asked for again, not answered
	armed     map[process.Key]*armed
	told      map[string]int64 // the zxids of what staying watches have told of each znode
}

// Connect is a new connection of a client. Of each request but pings and setWatches asked is told first: what it claims
// is in the log. Of each frame ready is told once it may go on to the client.
func (w *Cluster) Connect(c *Client, asked func(*Request), ready func(*Frame, time.Time)) *Conn {
	w.clients[c] = struct{}{}
	return &Conn{
		w: w, c: c, asked: asked, ready: ready,
		inflight: map[int32]*Request{}, rearming: map[process.Key]bool{}, armed: map[process.Key]*armed{},
	}
}

// Resume is a connection of a client that has been welcomed, and of which what has passed since is not known.
func (w *Cluster) Resume(c *Client, asked func(*Request), ready func(*Frame, time.Time)) *Conn {
	l := w.Connect(c, asked, ready)
	l.welcomed = true
	return l
}

// Welcomed reports whether the handshake was answered.
func (l *Conn) Welcomed() bool { return l.welcomed }

// Relative returns the last zxid that the client had seen before it connected.
func (l *Conn) Relative() int64 { return l.relative }

// Awaits reports whether a write was sent and is not answered.
func (w *Cluster) Awaits(r *Request) bool { return w.writes.has(r) }

// Contested reports whether other writes at a znode are on their way: any of them may have done what is seen there.
func (w *Cluster) Contested(znode string, but *Request) bool {
	for r := range w.writes.at[znode] {
		if r != but && r.Passed {
			return true
		}
	}
	return false
}

// Settle lets the frames go on that need not wait any longer.
func (w *Cluster) Settle(now time.Time) {
	w.settleHeld(now)
	w.settleNotices(now)
}

// BeginLook numbers a look at the sessions that may be over, for Looked.
func (w *Cluster) BeginLook() int {
	w.looks++
	return w.looks
}

// Looked says that a look has seen all that there was to see.
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

// end logs the end of a session, and of the znodes that go with it. It reports false if that is known already.
func (w *Cluster) end(c *Client, kind event.Kind, zxid int64, cause event.Seq) bool {
	if c.Gone || c.Session == 0 {
		return false
	}
	c.Gone, c.lost = true, nil
	w.others = slices.DeleteFunc(w.others, func(l lost) bool { return l.of.By == c && l.op.Mode.IsEphemeral() })
	delete(w.clients, c)
	why := event.BySessionClosed
	if kind == event.SessionExpired {
		why = event.BySessionExpired
	}
	seq := w.emit(event.Event{Kind: kind, Peer: c.ID, Session: c.Session, Zxid: zxid, Cause: cause})
	for _, znode := range slices.Clone(c.owned) {
		w.Deleted(znode, c.ID, why, zxid, seq)
	}
	return true
}
