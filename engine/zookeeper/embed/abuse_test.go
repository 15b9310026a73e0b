package embed_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// inUse returns the heap that this process uses after a garbage collection, clients included.
func inUse() int64 {
	var mem runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	return int64(mem.HeapInuse)
}

// polite checks that a client still gets answers.
func polite(t *testing.T, p *peer.Peer) {
	t.Helper()
	for i := range 50 {
		if got := do(t, p, wire.Request{Op: wire.OpSetData, Path: "/", Data: []byte{byte(i)},
			Version: -1}); got.Code != zoo.OK {
			t.Fatal(got.Code)
		}
	}
}

// fill creates a znode with that many children, whose names are long.
func fill(t *testing.T, p *peer.Peer, parent string, children, length int) {
	t.Helper()
	do(t, p, create(parent, zoo.Persistent))
	const each = 500
	for at := 0; at < children; at += each {
		q := wire.Request{Op: wire.OpMulti}
		for i := at; i < at+each; i++ {
			q.Ops = append(q.Ops, create(fmt.Sprintf("%s/%0*d", parent, length, i), zoo.Persistent))
		}
		if got := do(t, p, q); got.Code != zoo.OK {
			t.Fatal(got.Code)
		}
	}
}

// TestReplyTooLong asks for a gigabyte with 20 kB. The server refuses before it assembles any of the reply and logs
// why. The client may continue.
func TestReplyTooLong(t *testing.T) {
	var log lines
	s := listen(t, embed.Config{Log: &log})
	p := dial(t, s)
	big := create("/big", zoo.Persistent)
	big.Data = make([]byte, 1_000_000)
	do(t, p, big)
	q := wire.Request{Op: wire.OpMultiRead}
	for range 1000 {
		q.Ops = append(q.Ops, wire.Request{Op: wire.OpGetData, Path: "/big"})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if got := do(t, p, q); got.Code != zoo.ErrMarshalling || len(got.Results) > 0 {
		t.Errorf("it is answered with %v and %d results", got.Code, len(got.Results))
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
		t.Errorf("that took %d MB", took>>20)
	}
	until(t, "a line in the log", func() bool { return log.has("the reply to its multiRead would have 1000") })
	q.Ops = q.Ops[:16]
	if got := do(t, p, q); got.Code != zoo.OK || len(got.Results) != 16 || len(got.Results[15].Data) != len(big.Data) {
		t.Errorf("what fits is answered with %v", got.Code)
	}
}

// TestManyUnreadLists lets many clients request long lists and read nothing. All request the same list, which
// counts once, or each another, because the children change in between. The server keeps little for them and
// answers others meanwhile, even a request for such a list.
func TestManyUnreadLists(t *testing.T) {
	for _, changing := range []bool{false, true} {
		var log lines
		s := listen(t, embed.Config{Log: &log, MaxConnsPerAddr: -1})
		p := dial(t, s)
		fill(t, p, "/many", 20_000, 100) // 2 MB a list
		before := inUse()
		const clients, lists = 100, 20
		for i := range clients {
			c, more := dial(t, s), create(fmt.Sprint("/many/more", i), zoo.Persistent)
			for j := range lists {
				c.Queue(&wire.Request{Op: wire.OpGetChildren, Path: "/many"})
				if changing && j == 0 {
					c.Queue(&more)
				}
			}
			if err := c.Flush(); err != nil {
				t.Fatal(err)
			}
			for changing && !log.has("others wait") && do(t, p, wire.Request{Op: wire.OpExists,
				Path: more.Path}).Code != zoo.OK {
			}
		}
		polite(t, p)
		if used := inUse() - before; used > 100<<20 {
			t.Errorf("%d MB are in use for clients that do not read", used>>20)
		}
		q := dial(t, s)
		if got := do(t, q, wire.Request{Op: wire.OpGetChildren, Path: "/many"}); len(got.Children) < 20_000 {
			t.Errorf("who reads gets %d names: %v", len(got.Children), got.Code)
		}
		polite(t, p)
		if changing {
			until(t, "a client to be cut off", func() bool { return log.has("others wait for the room") })
		} else if log.has("others wait for the room") {
			t.Error("somebody is cut off though all want the same list")
		}
	}
}

// TestManyUnreadEvents lets many clients watch without reading. None is far enough behind to be disconnected on its
// own. Those furthest behind give way.
func TestManyUnreadEvents(t *testing.T) {
	var log lines
	s := listen(t, embed.Config{Log: &log, MaxConnsPerAddr: -1})
	p := dial(t, s)
	path := "/" + strings.Repeat("n", 50_000)
	do(t, p, create(path, zoo.Persistent))
	before := inUse()
	const clients, changes = 60, 160 // 8 MB for each client, 480 MB for all
	for range clients {
		do(t, dial(t, s), wire.Request{Op: wire.OpAddWatch, Path: path, Mode: wire.WatchPersistent})
	}
	for range changes {
		do(t, p, wire.Request{Op: wire.OpSetData, Path: path, Version: -1})
	}
	if used := inUse() - before; used > 120<<20 {
		t.Errorf("%d MB are in use for clients that do not read", used>>20)
	}
	polite(t, p)
	until(t, "a client to be cut off", func() bool { return log.has("most of it for this client") })
}

// TestManyHalfRequests lets many clients send most of a long request and stop. The server keeps little of it and
// still serves a client that sends a whole one.
func TestManyHalfRequests(t *testing.T) {
	var log lines
	s := listen(t, embed.Config{Log: &log, MaxConnsPerAddr: -1})
	p := dial(t, s)
	before := inUse()
	half := append(binary.BigEndian.AppendUint32(nil, 1_000_000), make([]byte, 900_000)...)
	var all sync.WaitGroup
	defer all.Wait()
	const clients = 60
	for range clients {
		c := dial(t, s)
		all.Go(func() { _, _ = c.Conn().Write(half) }) // it may be disconnected meanwhile
		defer c.Abort()
	}
	polite(t, p)
	set := wire.Request{Op: wire.OpSetData, Path: "/", Data: bytes.Repeat([]byte("x"), 900_000), Version: -1}
	if got := do(t, p, set); got.Code != zoo.OK {
		t.Fatal(got.Code)
	}
	if used := inUse() - before; used > 80<<20 {
		t.Errorf("%d MB are in use for requests that are not there", used>>20)
	}
	until(t, "a client to be cut off", func() bool { return log.has("others wait for the room") })
}

// TestOrderAroundLongReplies checks the order of events around a reply that is long enough to be encoded later. An
// event follows the reply that sets its watch and precedes the reply that shows its change.
func TestOrderAroundLongReplies(t *testing.T) {
	s := listen(t, embed.Config{})
	a, b := dial(t, s), dial(t, s)
	fill(t, a, "/many", 2000, 500) // a list of 1 MB, more than sockets take at once
	for round := range 20 {
		for range 3 {
			a.Queue(&wire.Request{Op: wire.OpGetChildren2, Path: "/many"})
		}
		a.Queue(&wire.Request{Op: wire.OpGetChildren2, Path: "/many", Watch: true})
		if err := a.Flush(); err != nil {
			t.Fatal(err)
		}
		var m peer.Message
		next := func() *peer.Message {
			t.Helper()
			if err := a.RecvInto(&m); err != nil {
				t.Fatal(err)
			}
			return &m
		}
		for range 3 {
			next()
		}
		made := fmt.Sprintf("/many/%d", round)
		do(t, b, create(made, zoo.Persistent)) // before or after the last list
		if err := a.Send(wire.Request{Op: wire.OpGetChildren2, Path: "/many"}); err != nil {
			t.Fatal(err)
		}
		listed := next()
		if listed.IsNotification {
			t.Fatal("the event came before the reply that sets the watch")
		}
		seen := len(listed.Response.Children)
		if seen == 2000+round {
			if n := next(); !n.IsNotification {
				t.Fatalf("a list of %d came before the event", len(n.Response.Children))
			}
		}
		if last := next(); last.IsNotification || len(last.Response.Children) != 2001+round {
			t.Fatalf("round %d: %d children at last", round, len(last.Response.Children))
		}
		if seen == 2001+round { // the watch is still set: use it up
			do(t, b, wire.Request{Op: wire.OpDelete, Path: made, Version: -1})
			if n := next(); !n.IsNotification {
				t.Fatal("no event")
			}
			do(t, b, create(made, zoo.Persistent))
		}
	}
}

// TestConnectionsOfAll opens more connections than allowed. The oldest one without a session gives way. If all have
// sessions, the server refuses a new one.
func TestConnectionsOfAll(t *testing.T) {
	var log lines
	s := listen(t, embed.Config{MaxConns: 3, Log: &log})
	first := dial(t, s)
	for range 6 { // these send nothing
		c := dialSilent(t, s)
		defer c.Close()
	}
	second, third := dial(t, s), dial(t, s)
	until(t, "a line in the log", func() bool { return log.has("of those without a session it was the oldest") })
	if got := hangUp(t, s, ""); got != "" {
		t.Errorf("the fourth connection was answered with %q", got)
	}
	until(t, "a line in the log", func() bool { return log.has("there are 3 connections already") })
	for _, p := range []*peer.Peer{first, second, third} {
		polite(t, p)
	}
	if _, err := s.Dial(); err != nil {
		t.Error("within the process:", err)
	}
}

// TestLimitsOfAConfig reaches the limits that an operator can set.
func TestLimitsOfAConfig(t *testing.T) {
	s := listen(t, embed.Config{MaxZnodes: 5, MaxWatches: 4, MaxData: 1000})
	p := dial(t, s)
	do(t, p, create("/a", zoo.Persistent))
	if got := do(t, p, create("/b", zoo.Persistent)); got.Code != zoo.ErrQuotaExceeded {
		t.Errorf("a znode too many: %v", got.Code)
	}
	if got := do(t, p, wire.Request{Op: wire.OpSetData, Path: "/a", Data: make([]byte, 1000),
		Version: -1}); got.Code != zoo.ErrQuotaExceeded {
		t.Errorf("bytes too many: %v", got.Code)
	}
	for i, want := range []zoo.Code{zoo.ErrNoNode, zoo.ErrNoNode, zoo.ErrQuotaExceeded} {
		if got := do(t, p, wire.Request{Op: wire.OpExists, Path: fmt.Sprint("/none", i), Watch: true}); got.Code != want {
			t.Errorf("watch %d of one client: %v", i, got.Code)
		}
	}
	none := listen(t, embed.Config{MaxZnodes: -1, MaxWatches: -1, MaxData: -1, MaxConns: -1})
	polite(t, dial(t, none))
}

// TestLongWords sets more watches than an answer lists, while many clients ask for them and don't read.
func TestLongWords(t *testing.T) {
	s := listen(t, embed.Config{MaxConnsPerAddr: -1})
	p := dial(t, s)
	q := wire.Request{Op: wire.OpSetWatches}
	for i := range 1000 {
		q.ExistWatches = append(q.ExistWatches, fmt.Sprintf("/%0900d", i))
	}
	for i := range 12 {
		for j := range q.ExistWatches {
			q.ExistWatches[j] = fmt.Sprintf("/%d-%0900d", i, j)
		}
		if got := do(t, p, q); got.Code != zoo.OK {
			t.Fatal(got.Code)
		}
	}
	for _, word := range []string{"wchp", "wchc"} {
		text := ask(t, s, word)
		if n := strings.Count(text, "/"); n < 8000 || n > 12_000 || len(text) > 9<<20 {
			t.Errorf("%s tells of %d watches in %d bytes", word, n, len(text))
		}
		if !strings.HasSuffix(text, "and more, which is left out\n\n") {
			t.Errorf("%s ends with %q", word, text[max(0, len(text)-40):])
		}
	}
	before := inUse()
	for range 50 {
		c := dialSilent(t, s)
		defer c.Close()
		if _, err := c.Write([]byte("wchp")); err != nil {
			t.Fatal(err)
		}
	}
	polite(t, p)
	if used := inUse() - before; used > 100<<20 {
		t.Errorf("%d MB are in use for words that nobody reads", used>>20)
	}
}
