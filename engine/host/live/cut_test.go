package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// cutter forwards the given number of frames of one connection to a server. Then it acts as if the sender had
// crashed: it forwards nothing in either direction, and calls over.
func cutter(t *testing.T, server string, frames int, over func()) (addr string, passed *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	passed = new(atomic.Int64)
	go func() {
		in, err := l.Accept()
		if err != nil {
			return
		}
		defer over()
		defer in.Close()
		defer l.Close()
		out, err := net.Dial("tcp", server)
		if err != nil {
			return
		}
		defer out.Close()
		go func() {
			for answers := wire.NewFrameReader(out, wire.MaxAnswer); ; {
				payload, err := answers.Next()
				if err != nil {
					return
				}
				if _, err := in.Write(framed(payload)); err != nil {
					return
				}
			}
		}()
		for asked := wire.NewFrameReader(in, wire.MaxAnswer); passed.Load() < int64(frames); passed.Add(1) {
			payload, err := asked.Next()
			if err != nil {
				return
			}
			if _, err := out.Write(framed(payload)); err != nil {
				return
			}
		}
	}()
	return l.Addr().String(), passed
}

// TestCutRemoval crashes a sweep after each of its requests. At every point root and holder must both exist or both
// be gone, a foreign znode must stay, and the next sweep must remove the rest.
func TestCutRemoval(t *testing.T) {
	t.Parallel()
	server, err := embed.Listen(embed.Config{Tick: 50 * time.Millisecond}) // a session lasts at most a second
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	at := server.Addr().String()
	const all = 1000
	for _, guest := range []bool{false, true} {
		t.Run(fmt.Sprintf("guest %v", guest), func(t *testing.T) {
			needs := 0
			for try := 0; try < 5 && needs < 20; try++ { // again if the machine stood still until the session was over
				needs = cutRemoval(t, at, guest, all)
			}
			if needs < 20 || needs == all {
				t.Fatalf("a removal takes %d frames", needs)
			}
			for n := 1; n <= needs; n++ {
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					t.Parallel()
					cutRemoval(t, at, guest, n)
				})
			}
		})
	}
}

// cutRemoval starts to remove a dead run and cuts the connection after some frames. It returns how many frames passed.
func cutRemoval(t *testing.T, server string, guest bool, frames int) int {
	base := "/" + real.NewID()
	root := NewRoot(base)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	watch, err := dialAdmin(ctx, []string{server}, access.Dialer{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	exists := func(path string) bool {
		t.Helper()
		for {
			there, _, err := watch.ZK.Exists(path)
			if err == nil {
				return there
			}
			if !admin.Passing(err) || ctx.Err() != nil {
				t.Fatal(err)
			}
		}
	}
	deadRun(t, ctx, server, base, root, guest)

	cut, giveUp := context.WithCancel(ctx)
	defer giveUp()
	addr, passed := cutter(t, server, frames, giveUp)
	_ = SweepNow(cut, Base{Servers: []string{addr}, Path: base}) // fails where it is cut
	there, beside := exists(root), exists(holder(root))
	for exists(root) != there { // the last request may only be carried out now
		there, beside = !there, exists(holder(root))
	}
	if there != beside {
		t.Error("only one of root and holder is there")
	}
	want := []string{}
	if guest {
		id := strings.TrimPrefix(root, base+"/")
		want = []string{id, id + "-clients", id + "/a", id + "/a/theirs"}
	}
	for {
		err := SweepNow(ctx, Base{Servers: []string{server}, Path: base})
		got, err2 := allBelow(watch.ZK, base)
		err = errors.Join(err, err2)
		if guest && err2 == nil && !slices.Contains(got, want[3]) {
			t.Fatal("the stranger's znode is gone")
		}
		if err == nil && slices.Equal(got, want) && exists(base) == guest {
			return int(passed.Load())
		}
		if ctx.Err() != nil {
			t.Fatalf("there is %q left, not %q: %v", got, want, err)
		}
		time.Sleep(20 * time.Millisecond) // until the session that was cut off has ended
	}
}

// allBelow returns the paths below a znode in order.
func allBelow(conn *zk.Conn, at string) (paths []string, err error) {
	var walk func(string)
	walk = func(path string) {
		names, _, err2 := conn.Children(path)
		if err2 != zk.ErrNoNode {
			err = errors.Join(err, err2)
		}
		for _, name := range names {
			paths = append(paths, strings.TrimPrefix(path+"/"+name, at+"/"))
			walk(path + "/" + name)
		}
	}
	walk(at)
	slices.Sort(paths)
	return paths, err
}

// deadRun leaves what a server leaves that crashes in the middle of a run.
func deadRun(t *testing.T, ctx context.Context, server, base, root string, guest bool) {
	t.Helper()
	d, err := dialAdmin(ctx, []string{server}, access.Dialer{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for {
		err = d.makeRoot([]string{base}, root, false)
		for _, path := range []string{"/a", "/a/c", "/a/c/d", "/a/e", "/b"} {
			if err == nil {
				err = d.makeAll(root, root+path)
			}
		}
		if err == nil && guest {
			if _,
				err = d.ZK.Create(root+"/a/theirs", nil, 0,
				zk.WorldACL(zk.PermAll)); admin.CodeOf(err) == admin.CodeOf(zk.ErrNodeExists) {
				err = nil
			}
		}
		if err == nil {
			return
		}
		if !admin.Passing(err) || ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}
