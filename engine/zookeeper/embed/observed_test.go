package embed

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestGoldenObserved compares the log of a short run, which has one of everything, with a golden log line by line.
func TestGoldenObserved(t *testing.T) {
	bubble(t, Config{}, &nowhere{}, func(t *testing.T, s *Server) {
		stop := watchOver(t, s, "/", 0)
		p, q := join(t, s, 10*time.Second), join(t, s, 10*time.Second)
		for i, r := range []wire.Request{
			{Op: wire.OpCreate, Path: "/n-", Data: []byte("one"), Flags: int32(zoo.EphemeralSequential)},
			{Op: wire.OpExists, Path: "/none", Watch: true},
			{Op: wire.OpGetData, Path: "/n-0000000000", Watch: true},
			{Op: wire.OpDelete, Path: "/none", Version: -1},
		} {
			r.Xid, r.ACL = int32(i+1), zoo.OpenACL()
			if _, _, err := p.Do(r); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		if err := p.Ping(); err != nil {
			t.Fatal(err)
		}
		set := wire.Request{Op: wire.OpSetData, Path: "/n-0000000000", Data: []byte("three"), Version: 0}
		if _, _, err := q.Do(wire.Request{Op: wire.OpMulti, Ops: []wire.Request{set}}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Recv(); err != nil {
			t.Fatal(err)
		}
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		p.Abort()
		synctest.Wait()
		time.Sleep(12 * time.Second)
		got, err := stop()
		if err == nil {
			t.Error("it was not stopped")
		}
		for i, c := range []*peer.Peer{p, q} {
			got = strings.ReplaceAll(got, fmt.Sprintf("%#x", c.Welcome.Session), fmt.Sprint("SESSION-", i+1))
		}
		golden.Compare(t, "testdata/observed.txt", regexp.MustCompile(`(?m)[ \t]+$|^[ \t]+`).ReplaceAllString(got, ""))
	})
}

// TestObservedStart checks that a log begins with as much of the current state as fits.
func TestObservedStart(t *testing.T) {
	const most = 400
	const room = most / 4
	for _, there := range []int{room - 1, room, room + 1} {
		bubble(t, Config{}, &nowhere{}, func(t *testing.T, s *Server) {
			p := join(t, s, 0)
			many := wire.Request{Op: wire.OpMulti}
			watch := wire.Request{Op: wire.OpSetWatches, Xid: -8, RelativeZxid: 1000}
			many.Ops = append(many.Ops, wire.Request{Op: wire.OpCreate, Path: "/a", ACL: zoo.OpenACL()})
			for i := range there - 1 {
				one := wire.Request{Op: wire.OpCreate, Path: fmt.Sprintf("/a/%03d", i), ACL: zoo.OpenACL()}
				many.Ops = append(many.Ops, one)
			}
			for i := range there {
				watch.DataWatches = append(watch.DataWatches, fmt.Sprintf("/a/%03d", i%(there-1)))
				if i == there-1 {
					watch.DataWatches, watch.ChildWatches = watch.DataWatches[:i], []string{"/a"}
				}
			}
			for _, q := range []wire.Request{many, watch} {
				if got, _, err := p.Do(q); err != nil || got.Code != zoo.OK {
					t.Fatal(q.Op, got.Code, err)
				}
			}
			stop := watchOver(t, s, "/a", most)
			text, err := stop()
			if errors.Is(err, event.ErrLogFull) {
				t.Error(err)
			}
			want := min(there, room)
			for part, n := range map[string]int{
				"znode.created": want, "watch.set": want,
				"left-later":   there - want,
				"left-watches": there - want,
			} {
				if got := strings.Count(text, part); got != n {
					t.Errorf("of %d it says %q %d times, not %d", there, part, got, n)
				}
			}
		})
	}
}
