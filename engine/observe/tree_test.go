package observe_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestObservedTree plays random histories on an embedded server, whose connection to the observer is lost now and
// then. It compares the observer with an obvious second implementation: its log folds to what a walk through the
// tree finds. While the observer is connected, the log has each change or counts it as missed. Before 3.6, and
// without a connection, it may count fewer, but never more.
func TestObservedTree(t *testing.T) {
	const seeds, rounds = 8, 6
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, seed)
			exact := !h.secrets && !h.relay.old
			o := watch(t, h.relay.addr(), top)
			o.await(t, "a first look", func(e event.Event) bool { return e.Kind != event.RunStarted })
			h.agrees(t, o)
			counter := h.counter(t)
			before := o.changes()
			for range rounds {
				cut := seed%4 != 2 && h.rand.IntN(3) == 0
				if cut {
					exact = false
					h.relay.cut()
					o.awaitMore(t, event.Disconnected)
				}
				for range 1 + h.rand.IntN(12) {
					h.step(t)
				}
				if cut {
					h.relay.heal()
					o.awaitMore(t, event.Reconnected)
				}
				h.agrees(t, o)
				want := counter()
				for end := time.Now().Add(longest); exact && o.changes()-before < want && time.Now().Before(end); {
					time.Sleep(2 * time.Millisecond)
				}
				if got := o.changes() - before; exact && got != want || got > want && !h.secrets {
					o.dump(t)
					t.Fatalf("the log has or misses %d changes, and there were %d", got, want)
				}
			}
		})
	}
}

// changes returns how many changes the log has or reports as missed.
func (o *observing) changes() (n int) {
	for _, e := range o.log() {
		switch {
		case e.Kind == event.ZnodeCreated, e.Kind == event.ZnodeChanged, e.Kind == event.ZnodeDeleted:
			n++
		case e.Reason == event.LeftMissed:
			n += int(e.N)
		}
	}
	return n
}

// counter counts the changes from now on that a watch reports.
func (h *history) counter(t *testing.T) func() int {
	p, n := h.dial(t), 0
	ask := func(q wire.Request) {
		_, notes, err := p.Do(q)
		if n += len(notes); err != nil {
			t.Fatal(err)
		}
	}
	ask(wire.Request{Op: wire.OpAddWatch, Path: top, Mode: wire.WatchPersistentRecursive})
	return func() int {
		ask(wire.Request{Op: wire.OpPing, Xid: wire.XidPing})
		return n
	}
}

// awaitMore waits until the last event about the connection is the given one.
func (o *observing) awaitMore(t *testing.T, last event.Kind) {
	t.Helper()
	o.await(t, last.String(), func(event.Event) bool {
		log := o.log()
		for _, e := range slices.Backward(log) {
			if e.Kind == event.Disconnected || e.Kind == event.Reconnected {
				return e.Kind == last
			}
		}
		return false
	})
}

// top is the path of the observed znode.
const top = "/top"

// history is a server, clients that write to it, and a relay to it that can be cut.
type history struct {
	rand    *rand.Rand
	secrets bool // some znodes may not be read
	server  *embed.Server
	relay   *relay
	writers []*peer.Peer
	reader  *peer.Peer
	paths   []string // that may exist
}

func newHistory(t *testing.T, seed uint64) *history {
	t.Helper()
	server, err := embed.Listen(embed.Config{MaxTimeout: time.Hour, Seed: seed + 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	h := &history{secrets: seed%8 == 0, rand: rand.New(rand.NewPCG(seed, 1)), server: server,
		relay: newRelay(t, server.Addr().String(), seed%2 == 1)}
	for range 3 {
		h.writers = append(h.writers, h.dial(t))
	}
	h.reader = h.dial(t)
	h.paths = []string{top}
	for _, a := range []string{"/a", "/b", "/c"} {
		h.paths = append(h.paths, top+a)
		for _, b := range []string{"/x", "/y"} {
			h.paths = append(h.paths, top+a+b, top+a+b+"/0000000007")
		}
	}
	for range 10 {
		h.step(t)
	}
	return h
}

// dial opens a session that lasts longer than the test.
func (h *history) dial(t *testing.T) *peer.Peer {
	t.Helper()
	conn, err := h.server.Dial()
	if err != nil {
		t.Fatal(err)
	}
	p, err := peer.New(conn, wire.ConnectRequest{TimeoutMS: int32(time.Hour / time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Abort)
	p.Timeout = longest
	return p
}

// step lets one of the clients do something, which may fail.
func (h *history) step(t *testing.T) {
	t.Helper()
	i := h.rand.IntN(len(h.writers))
	if h.rand.IntN(12) == 0 { // its session ends, with its ephemeral znodes
		if err := h.writers[i].Close(); err != nil {
			t.Fatal(err)
		}
		h.writers[i] = h.dial(t)
		return
	}
	q := h.request()
	if h.rand.IntN(8) == 0 {
		h.removeAll(t, q.Path)
		return
	}
	if h.rand.IntN(4) == 0 {
		q = wire.Request{Op: wire.OpMulti, Ops: []wire.Request{q, h.request()}}
	}
	got, _, err := h.writers[i].Do(q)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(got.Path, top) && !slices.Contains(h.paths, got.Path) {
		h.paths = append(h.paths, got.Path)
	}
}

// removeAll deletes a znode and everything below it, as far as that can be listed.
func (h *history) removeAll(t *testing.T, path string) {
	t.Helper()
	for _, q := range []wire.Request{{Op: wire.OpGetChildren, Path: path}, {Op: wire.OpDelete, Path: path, Version: -1}} {
		got, _, err := h.reader.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range got.Children {
			h.removeAll(t, path+"/"+name)
		}
	}
}

// request returns a write to one of the paths.
func (h *history) request() wire.Request {
	path := h.paths[h.rand.IntN(len(h.paths))]
	data := []byte(strings.Repeat("\xffdata", h.rand.IntN(40)))
	switch n := h.rand.IntN(10); {
	case n < 5:
		acl := zoo.OpenACL()
		if h.secrets && h.rand.IntN(6) == 0 {
			acl[0].Perms &^= zoo.PermRead
		}
		flags := [...]zoo.CreateMode{zoo.Persistent, zoo.Persistent, zoo.Ephemeral, zoo.EphemeralSequential}[h.rand.IntN(4)]
		if _, numbered := event.Sequence(path); path == top {
			flags = zoo.Persistent
		} else if numbered { // a second number would look like one long one
			flags &^= zoo.PersistentSequential
		}
		return wire.Request{Op: wire.OpCreate, Path: path, Data: data, ACL: acl, Flags: int32(flags)}
	case n < 8:
		return wire.Request{Op: wire.OpSetData, Path: path, Data: data, Version: -1}
	}
	return wire.Request{Op: wire.OpDelete, Path: path, Version: -1}
}

// found holds what is known about a znode.
type found struct {
	text         string
	length       int64
	owner        int64
	client       event.Actor // stands for its owner in the log
	czxid, ctime int64
	mzxid        int64 // 0 if unknown
	mode         zoo.CreateMode
	secret       bool // it may not be read: then servers don't report its changes either
}

// walk returns what a client finds that reads the whole tree.
func (h *history) walk(t *testing.T, at string, into map[string]found) {
	t.Helper()
	do := func(q wire.Request) wire.Response {
		got, _, err := h.reader.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := do(wire.Request{Op: wire.OpGetData, Path: at})
	secret := got.Code == zoo.ErrNoAuth
	if secret {
		got = do(wire.Request{Op: wire.OpExists, Path: at})
	}
	if got.Code != zoo.OK {
		return
	}
	s := got.Stat
	mode := zoo.Persistent
	if s.EphemeralOwner != 0 {
		mode = zoo.Ephemeral
	}
	if len(at) > 10 && strings.Trim(at[len(at)-10:], "0123456789") == "" {
		mode |= zoo.PersistentSequential
	}
	into[at] = found{
		text: event.Preview(got.Data), length: int64(s.DataLength), owner: s.EphemeralOwner,
		czxid: s.Czxid, mzxid: s.Mzxid, ctime: s.Ctime, mode: mode, secret: secret,
	}
	if !secret {
		for _, name := range do(wire.Request{Op: wire.OpGetChildren, Path: at}).Children {
			h.walk(t, at+"/"+name, into)
		}
	}
}

// agrees waits until the log folds to what exists.
func (h *history) agrees(t *testing.T, o *observing) {
	t.Helper()
	want := map[string]found{}
	h.walk(t, top, want)
	why := ""
	for end := time.Now().Add(longest); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if why = o.folds(t, h.secrets).differs(want); why == "" {
			return
		}
	}
	o.dump(t)
	t.Fatal("the log does not come to what is there: ", why)
}

// folds returns what exists according to the log.
func (r *recorder) folds(t *testing.T, secrets bool) folded {
	t.Helper()
	got := folded{orphans: secrets}
	for _, e := range r.log() {
		if err := got.apply(e); err != nil {
			r.dump(t)
			t.Fatalf("event %d: %v", e.Seq, err)
		}
	}
	return got
}

// folded holds what exists according to a log.
type folded struct {
	nodes    map[string]found
	sessions map[int64]event.Actor
	orphans  bool // a znode may come before its parent, if that may not be read
}

// apply takes an event, and returns what is impossible about it.
func (f *folded) apply(e event.Event) error {
	if f.nodes == nil {
		f.nodes, f.sessions = map[string]found{}, map[int64]event.Actor{}
	}
	n, there := f.nodes[e.Path]
	switch e.Kind {
	case event.SessionSeen:
		if _, again := f.sessions[e.Session]; again || slices.Contains(slices.Collect(maps.Values(f.sessions)), e.Peer) {
			return fmt.Errorf("session %x of client %d is there already", e.Session, e.Peer)
		}
		f.sessions[e.Session] = e.Peer
	case event.SessionCreated, event.SessionClosed, event.SessionExpired:
		return fmt.Errorf("the observer can't know this: %v", e.Kind)
	case event.ZnodeCreated:
		_, above := f.nodes[e.Path[:strings.LastIndexByte(e.Path, '/')]]
		if there || !above && !f.orphans && e.Path != top || f.sessions[e.Session] != e.Peer {
			return fmt.Errorf("%s cannot be created by client %d", e.Path, e.Peer)
		}
		f.nodes[e.Path] = found{
			text: e.Text, length: e.N, owner: e.Session, client: e.Peer, czxid: e.Zxid, mode: zoo.CreateMode(e.Mode),
		}
	case event.ZnodeFound:
		_, above := f.nodes[e.Path[:strings.LastIndexByte(e.Path, '/')]]
		switch {
		case e.Zxid == 0 && (!there || n.ctime != 0):
			return fmt.Errorf("%s doesn't wait for its date", e.Path)
		case e.Zxid != 0 && (there || !above && !f.orphans && e.Path != top || f.sessions[e.Session] != e.Peer):
			return fmt.Errorf("%s cannot be found, of client %d", e.Path, e.Peer)
		case e.Zxid != 0:
			n = found{text: e.Text, length: int64(e.Code), owner: e.Session, client: e.Peer, czxid: e.Zxid,
				mode: zoo.CreateMode(e.Mode)}
		}
		n.ctime = e.N
		f.nodes[e.Path] = n
	case event.ZnodeChanged:
		if !there || e.Zxid <= max(n.czxid, n.mzxid) {
			return fmt.Errorf("%s cannot be changed at %x", e.Path, e.Zxid)
		}
		n.text, n.length, n.mzxid = e.Text, e.N, e.Zxid
		f.nodes[e.Path] = n
	case event.ZnodeDeleted:
		for path := range f.nodes {
			there = there && !strings.HasPrefix(path, e.Path+"/")
		}
		if !there { // it was not in the log yet
			return nil
		}
		if !there || e.Peer != n.client || e.Reason != event.ByUnknown {
			return fmt.Errorf("%s cannot be deleted, by client %d, %s", e.Path, e.Peer, e.Text)
		}
		delete(f.nodes, e.Path)
	}
	return nil
}

// differs names the first znode that isn't as it should be.
func (f folded) differs(want map[string]found) string {
	paths := slices.Concat(slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(f.nodes)))
	slices.Sort(paths)
	for _, path := range paths {
		w, g := want[path], f.nodes[path]
		if g.mzxid == 0 { // the log doesn't know when it was changed
			w.mzxid = 0
		}
		if w.secret {
			w.secret, w.length, w.mzxid = false, g.length, g.mzxid
		}
		if g.client = 0; w != g {
			return fmt.Sprintf("%s is %+v in the log and %+v in the tree", path, g, w)
		}
	}
	return ""
}
