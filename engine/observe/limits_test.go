package observe

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/admin"
	"github.com/zkviz/zkviz/engine/embed"
	"github.com/zkviz/zkviz/engine/event"
)

// TestReadingPace pays for reads and for bytes, and saves up no more than for a while.
func TestReadingPace(t *testing.T) {
	const saved = int(burst / time.Second)
	synctest.Test(t, func(t *testing.T) {
		o := newObserver(Observation{Path: "/a"}, &logged{})
		for n, c := range []struct {
			idle         time.Duration
			reads, bytes int
			wait         time.Duration
		}{
			{0, saved * readsPerSecond, 0, 0},                                                // all that was saved up
			{0, readsPerSecond / 2, 0, time.Second / 2},                                      // then what is read is paid for
			{time.Second / 2, 0, bytesPerSecond, time.Second},                                // bytes too
			{time.Second, readsPerSecond, bytesPerSecond * 3, 3 * time.Second},               // whatever is more
			{3 * time.Second, readsPerSecond * 3, bytesPerSecond, 3 * time.Second},           // likewise
			{time.Hour, saved*readsPerSecond + readsPerSecond, 0, time.Second},               // an hour saves no more than burst
			{time.Second + burst/2, 0, saved*bytesPerSecond/2 + bytesPerSecond, time.Second}, // half of it saves half
		} {
			time.Sleep(c.idle)
			if wait := o.pay(c.reads, c.bytes); wait != c.wait {
				t.Errorf("%d: after %d reads of %d bytes it waits %v, not %v", n, c.reads, c.bytes, wait, c.wait)
			}
		}
	})
}

// TestRipe reads one znode no more often than it may.
func TestRipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, d := newObserver(Observation{Path: "/a"}, &logged{}), newDirty()
		if !o.ripe("/a") {
			t.Error("a znode that was never read may not be read")
		}
		o.take(read("/a"), d)
		if time.Sleep(rereadEvery - 1); o.ripe("/a") {
			t.Error("it may be read again too early")
		}
		if time.Sleep(1); !o.ripe("/a") {
			t.Error("it may never be read again")
		}
	})
}

// TestObservedSizes meets the limits of what is observed, one by one.
func TestObservedSizes(t *testing.T) {
	numbered := func(n int) (names []string) {
		for i := range n {
			names = append(names, fmt.Sprintf("%05d", i))
		}
		return names
	}
	t.Run("znodes", func(t *testing.T) {
		o, d := newObserver(Observation{Path: "/a"}, &logged{}), newDirty()
		o.take(read("/a", numbered(MaxObservedNodes-1)...), d)
		if leftOut(o) != "" || len(o.nodes) != MaxObservedNodes {
			t.Errorf("of as many as there may be %d are there: %s", len(o.nodes), leftOut(o))
		}
		o.take(read("/a", numbered(MaxObservedNodes)...), d)
		if !strings.Contains(leftOut(o), "more than 2000 znodes") || len(o.nodes) != MaxObservedNodes {
			t.Errorf("%d are there: %s", len(o.nodes), leftOut(o))
		}
		again := func() bool { // is /a to be listed again once others have gone?
			d.jobs = map[string]job{}
			o.take(read("/a/00000"), d)
			return d.jobs["/a"].children
		}
		for i := MaxObservedNodes - 2; len(o.nodes) > MaxObservedNodes*9/10; i-- {
			if again() {
				t.Fatalf("it is listed again while there are %d", len(o.nodes))
			}
			o.forget(fmt.Sprintf("/a/%05d", i))
		}
		o.forget("/a/00001")
		if !again() {
			t.Error("it is not listed again when there is room")
		}
	})
	t.Run("owners", func(t *testing.T) {
		log := &logged{}
		o, d := newObserver(Observation{Path: "/a"}, log), newDirty()
		names := numbered(MaxObservedClients + 1)
		o.take(read("/a", names...), d)
		for i, name := range names {
			j := read("/a/" + name)
			j.stat.EphemeralOwner = int64(i + 1)
			o.take(j, d)
			last := (*log)[len(*log)-2]
			if actor := event.Actor(i+1) % (MaxObservedClients + 1); last.Kind != event.ZnodeCreated || last.Peer != actor {
				t.Fatalf("the znode of session %d is %v", i+1, last)
			}
		}
		n := log.count(event.SessionCreated)
		if n != MaxObservedClients || !strings.Contains(leftOut(o), "more than 1000 owners") {
			t.Errorf("%d sessions: %s", n, leftOut(o))
		}
		o.forget("/a/" + names[MaxObservedClients])
		o.forget("/a/" + names[6])
		if last := (*log)[len(*log)-1]; last.Kind != event.SessionClosed || last.Peer != 7 {
			t.Errorf("at last %v", last)
		}
		if got := o.own(99_999).by(); got != MaxObservedClients+1 {
			t.Errorf("the next session is client %d, not one that was nobody's before", got)
		}
	})
	t.Run("letters", func(t *testing.T) {
		log := &logged{}
		o, d := newObserver(Observation{Path: "/a"}, log), newDirty()
		comes := func(session int64) event.Actor {
			j := read("/a/x")
			j.stat.EphemeralOwner, j.stat.Czxid = session, int64(len(*log)+2)
			o.take(read("/a", "x"), d)
			o.take(j, d)
			who := o.owners[session].by()
			o.forget("/a/x")
			return who
		}
		o.take(read("/a"), d)
		for i := range int64(event.MaxActor) {
			if who := comes(i + 1); who != event.Actor(i+1) || o.isFull() {
				t.Fatalf("session %d is client %d, the log is full: %t", i+1, who, o.isFull())
			}
		}
		if who := comes(7); who != 7 || o.isFull() || o.present != 0 {
			t.Errorf("session 7 comes back as client %d; the log is full: %t; %d are there", who, o.isFull(), o.present)
		}
		if who := comes(99_999); who != event.ZooKeeper || !o.isFull() {
			t.Errorf("one more session is client %d; the log is full: %t", who, o.isFull())
		}
	})
	t.Run("paths", func(t *testing.T) {
		o, d := newObserver(Observation{Path: "/a"}, &logged{}), newDirty()
		fits := strings.Repeat("x", MaxObservedPath-len("/a/"))
		o.take(read("/a", fits, fits+"y"), d)
		if len(o.nodes) != 2 || o.nodes["/a/"+fits] == nil || !strings.Contains(leftOut(o), "more than 1024 bytes") {
			t.Errorf("%d are there: %s", len(o.nodes), leftOut(o))
		}
	})
	t.Run("events", func(t *testing.T) {
		for asked, most := range map[int]event.Seq{
			0: MaxObservedEvents, -1: MaxObservedEvents, 7: 7, MaxObservedEvents + 1: MaxObservedEvents,
		} {
			if o := newObserver(Observation{Path: "/a", MaxEvents: asked}, &logged{}); o.most != most {
				t.Errorf("asked for %d, a log has %d", asked, o.most)
			}
		}
	})
	t.Run("levels", func(t *testing.T) {
		for _, root := range []string{"/", "/a", "/a/b"} {
			at := strings.TrimSuffix(root, "/")
			for depth := range MaxObservedDepth + 1 {
				path := at + strings.Repeat("/d", depth)
				if path == "" {
					path = "/"
				}
				if j := (job{path: path}); j.deep(root) != (depth == MaxObservedDepth) && depth > 0 {
					t.Errorf("%d levels below %s: %v", depth, root, j.deep(root))
				}
			}
		}
	})
}

// TestObservedChildren reads lists that are as long as they may be, and longer.
func TestObservedChildren(t *testing.T) {
	server, err := embed.Listen(embed.Config{MaxTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	d, err := admin.Dial(t.Context(), admin.Config{Servers: []string{server.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	open := zk.WorldACL(zk.PermAll)
	make := func(ops ...any) {
		t.Helper()
		if _, err := d.ZK.Multi(ops...); err != nil {
			t.Fatal(err)
		}
	}
	make(&zk.CreateRequest{Path: "/many", Acl: open})
	var all []any
	for i := range MaxObservedChildren {
		all = append(all, &zk.CreateRequest{Path: fmt.Sprintf("/many/%d", i), Acl: open})
	}
	make(all...)
	for _, data := range []bool{true, false} {
		j := job{path: "/many", data: data, children: true}
		if j.fetch(d.ZK, "/"); !j.listed || j.large || len(j.names) != MaxObservedChildren || j.err != nil {
			t.Errorf("with data %v: of %d there are %d: %v", data, MaxObservedChildren, len(j.names), j.err)
		}
	}
	make(&zk.CreateRequest{Path: "/many/more", Acl: open})
	j := job{path: "/many", children: true}
	if j.fetch(d.ZK, "/"); j.listed || !j.large || j.reads != 1 || j.err != nil {
		t.Errorf("of more there are %d, after %d reads: %v", len(j.names), j.reads, j.err)
	}
}

// TestDirty has each watch event, and what is to be read after it.
func TestDirty(t *testing.T) {
	for typ, want := range map[zk.EventType]job{
		zk.EventNodeDataChanged:     {path: "/a", data: true},
		zk.EventNodeChildrenChanged: {path: "/a", children: true},
		zk.EventNodeCreated:         {path: "/a", data: true, children: true},
		zk.EventNodeDeleted:         {path: "/a", data: true, children: true},
	} {
		d := newDirty()
		d.event(zk.Event{Type: typ, Path: "/a"})
		jobs, left := d.pick(func(string) bool { return true })
		if len(jobs) != 1 || left || fmt.Sprint(jobs[0]) != fmt.Sprint(want) {
			t.Errorf("%v: %+v", typ, jobs)
		}
	}
	d := newDirty()
	for i := range batch + 2 {
		d.mark(fmt.Sprintf("/a/%02d", batch+1-i), i%2 == 0, i%2 == 1)
		d.mark(fmt.Sprintf("/a/%02d", batch+1-i), i%2 == 1, i%2 == 0)
	}
	jobs, left := d.pick(func(path string) bool { return path != "/a/00" })
	if len(jobs) != batch || !left || jobs[0].path != "/a/01" || !jobs[0].data || !jobs[0].children {
		t.Errorf("%d jobs, %v left, the first %+v", len(jobs), left, jobs[0])
	}
	if jobs, left = d.pick(func(path string) bool { return path != "/a/00" }); len(jobs) != 1 || !left {
		t.Errorf("then %d jobs, %v left", len(jobs), left)
	}
}

// TestAwayOnce says that nobody can be reached when that, or the reason for it, is new, and when it is over.
func TestAwayOnce(t *testing.T) {
	log := &logged{}
	o := newObserver(Observation{Path: "/a"}, log)
	o.back("s1") // there was nothing to come back from
	for range 2 {
		o.away("refused")
	}
	o.away("silence")
	o.back("s1")
	o.back("s1")
	o.away("silence")
	text := ""
	for _, e := range *log {
		text += fmt.Sprint(e.Kind, " ", e.Text, "\n")
	}
	const want = "observer.disconnected refused\nobserver.disconnected silence\n" +
		"observer.reconnected s1\nobserver.disconnected silence\n"
	if text != want {
		t.Errorf("it says\n%s", text)
	}
}

// logged keeps a log.
type logged []event.Event

func (l *logged) Append(e event.Event) { *l = append(*l, e) }

func (l logged) count(kind event.Kind) (n int) {
	for _, e := range l {
		if e.Kind == kind {
			n++
		}
	}
	return n
}
