package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// saved is a told log with its events.
type saved struct {
	told
	events []event.Event
}

// Append implements event.Sink.
func (k *saved) Append(e event.Event) {
	k.mu.Lock()
	k.events = append(k.events, e)
	k.mu.Unlock()
	k.told.Append(e)
}

// TestObserveAfter cuts the log of an observation below a chroot off after each of its events. Another server's
// observation goes on with it, and its recording has the whole log.
func TestObserveAfter(t *testing.T) {
	srv, err := embed.Listen(embed.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	conn, err := srv.Dial()
	if err != nil {
		t.Fatal(err)
	}
	client, err := peer.New(conn, wire.ConnectRequest{TimeoutMS: 30_000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Abort)
	do := func(op wire.Request) {
		t.Helper()
		if got, _, err := client.Do(op); err != nil || got.Code != zoo.OK {
			t.Fatalf("%+v: %v, %v", op, got.Code, err)
		}
	}
	create := func(path string) { do(wire.Request{Op: wire.OpCreate, Path: path, ACL: zoo.OpenACL()}) }
	observe := func(before []event.Event, folder *record.Folder, until ...string) []event.Event {
		t.Helper()
		on := cluster.Cluster{Servers: []string{srv.ConnectString()}, Access: access.Dialer{Chroot: "/app"},
			Recording: cluster.Recording{Folder: folder}}
		log := &saved{told: told{waited: waited{state: view.NewFor(on.Observed("/l")), news: make(chan struct{}, 1)}}}
		for _, e := range before {
			log.Append(e)
		}
		after := cluster.After{Why: "gone"}
		if len(before) > 0 {
			after.Events = slices.Values(before)
		}
		ctx, stop := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() { over <- on.ObserveAfter(ctx, on.Observed("/l"), after, log) }()
		for _, line := range until {
			log.tells(t, line)
		}
		stop()
		if err := <-over; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		return log.events[:len(log.events)-1]
	}
	for _, path := range []string{"/app", "/app/l", "/app/l/a", "/app/l/b"} {
		create(path)
	}
	log := observe(nil, nil, "/l/a znode.found", "/l/b znode.found")
	create("/app/l/late")
	do(wire.Request{Op: wire.OpDelete, Path: "/app/l/a", Version: -1})
	for cut := 1; cut <= len(log); cut++ {
		folder, err := record.Open(record.Config{Dir: t.TempDir(), Max: record.MinBytes})
		if err != nil {
			t.Fatal(err)
		}
		got := observe(log[:cut], folder, " observer.reconnected", "/l/late znode.created", "/l/b znode.found")
		if err := folder.Close(); err != nil {
			t.Fatal(err)
		}
		there := map[string]int{}
		for i, e := range got {
			if e.Seq != event.Seq(i+1) {
				t.Fatalf("cut after %d, event %d is at %d", cut, e.Seq, i+1)
			}
			switch {
			case e.Kind == event.ZnodeCreated, e.Introduces():
				there[e.Path]++
			case e.Kind == event.ZnodeDeleted:
				there[e.Path]--
			}
		}
		if s := fmt.Sprint(there); strings.Contains(s, "app") || there["/l"] != 1 || there["/l/late"] != 1 {
			t.Errorf("cut after %d, there are %s", cut, s)
		}
		if kept := recorded(t, folder); !slices.Equal(kept[:len(kept)-1], got) {
			t.Errorf("cut after %d, the recording has %d events, not %d", cut, len(kept)-1, len(got))
		}
	}
}

// recorded returns the events of a folder's only recording.
func recorded(t *testing.T, folder *record.Folder) (all []event.Event) {
	t.Helper()
	list := folder.List()
	if len(list) != 1 {
		t.Fatalf("there are %d recordings", len(list))
	}
	file, err := folder.Read(list[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := trace.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
}

// TestObserveAfterNothing checks that the caller learns of a log with which nothing can go on.
func TestObserveAfterNothing(t *testing.T) {
	on := cluster.Cluster{Servers: []string{"127.0.0.1:1"}}
	log := &saved{told: told{waited: waited{state: view.NewFor(on.Observed("/l")), news: make(chan struct{}, 1)}}}
	before := slices.Values([]event.Event{{Seq: 1, Kind: event.RunStarted, Path: "/other"}})
	err := on.ObserveAfter(t.Context(), on.Observed("/l"), cluster.After{Events: before, Why: "gone"}, log)
	if !errors.Is(err, observe.ErrAfter) || len(log.events) > 0 {
		t.Errorf("it says %v, and has %s", err, log.text)
	}
}
