package record_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/observe/tap"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestKeep checks that Keep begins a new recording whenever the log is full, and ends when the observation does.
func TestKeep(t *testing.T) {
	f := open(t, record.Config{Dir: t.TempDir(), Max: record.MinBytes})
	away := errors.New("away")
	ends := []error{event.ErrLogFull, fmt.Errorf("observe: %w", event.ErrLogFull), away}
	logs := 0
	log := func(_ context.Context, sink event.Sink) error {
		s := source{sink: sink}
		s.begin(began.Add(time.Duration(logs) * time.Hour))
		s.znodes(1, 10)
		s.tell(event.EndOf(ends[logs]))
		logs++
		return ends[logs-1]
	}
	err := f.Keep(t.Context(), "", func() (event.Header, event.Source) {
		return event.Header{Host: event.Observed, Root: fmt.Sprintf("/%d", logs)}, log
	})
	closed(t, f)
	all := f.List()
	if !errors.Is(err, away) || len(all) != len(ends) {
		t.Fatalf("%v, %+v", err, all)
	}
	slices.Reverse(all)
	for i, r := range all {
		if r.Path != fmt.Sprintf("/%d", i) || !r.Whole || r.Events != 3 {
			t.Errorf("%+v", r)
		}
	}
}

// TestTapOnFullDisk records a tap's traffic on a disk that fills up and is cleared. Every request is answered
// meanwhile, the recorded part stays, and a new recording continues with the current state.
func TestTapOnFullDisk(t *testing.T) {
	zk, err := embed.Listen(embed.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer zk.Close()
	s, err := tap.Listen(tap.Config{Listen: "127.0.0.1:0", Servers: []string{zk.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	var disk record.FullDisk
	dir := t.TempDir()
	c := disk.Config(dir, 20_000)
	told := make(chan error, 10_000)
	c.Tell = func(err error) { told <- err }
	f := open(t, c)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served, kept := make(chan error, 1), make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	go func() {
		kept <- f.Keep(context.Background(), "", func() (event.Header, event.Source) {
			return event.Header{Host: event.Tapped, Root: "/"}, func(ctx context.Context, sink event.Sink) error {
				return s.Observe(ctx, "/", sink, 0, nil)
			}
		})
	}()
	made := makeZnodes(t, s.Addr())
	has := func(r record.Record, path string) bool {
		return slices.ContainsFunc(read(t, dir, r.Name).Events, func(e event.Event) bool {
			return e.Kind == event.ZnodeCreated && strings.HasPrefix(e.Path, path)
		})
	}
	for range 5 {
		made("/before")
	}
	for len(f.List()) == 0 || f.List()[0].Events == 0 || !has(f.List()[0], "/before") { // the next events may not fit
		time.Sleep(time.Millisecond)
	}
	for range 300 { // more than fit
		made("/before")
	}
	if why := <-told; why == nil || !strings.Contains(why.Error(), "no space left") {
		t.Errorf("told %v", why)
	}
	for range 100 {
		made("/meanwhile")
	}
	disk.Free(10 << 20)
	for len(f.List()) < 2 {
		time.Sleep(time.Millisecond)
	}
	made("/last")
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := <-kept; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Keep ends with %v", err)
	}
	closed(t, f)
	all := f.List()
	if len(all) != 2 || all[1].Whole || !all[0].Whole {
		t.Fatalf("%+v", all)
	}
	if !has(all[1], "/before") || has(all[1], "/meanwhile") || !has(all[0], "/meanwhile") || !has(all[0], "/last") {
		t.Error("the recordings are not of their times")
	}
}

// makeZnodes returns a function that creates a new znode through a tap at each call.
func makeZnodes(t *testing.T, at net.Addr) func(path string) {
	t.Helper()
	p, err := peer.Dial(at.String(), wire.ConnectRequest{TimeoutMS: 10_000, Password: make([]byte, 16)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Abort)
	xid := int32(0)
	return func(path string) {
		xid++
		a, _, err := p.Do(wire.Request{Xid: xid, Op: wire.OpCreate, Path: fmt.Sprint(path, xid), ACL: zoo.OpenACL()})
		if err != nil || a.Code != zoo.OK {
			t.Fatalf("%s: %v, %v", path, a.Code, err)
		}
	}
}
