package room

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// TestBranchesTakeTurns follows two long branches. The viewer gets framesAtOnce frames of each in turn, none longer
// than allowed, and in the end all events in order.
func TestBranchesTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const events = 40_000
		l := newOneRoom(t, 1) // it is branch 0
		r, _ := l.rs.find(l.id)
		for range 2 {
			var own packed.Builder
			for seq := event.Seq(2); seq <= events; seq++ {
				own.Append(event.Event{Seq: seq, Kind: event.ZnodeCreated, Path: "/a/path/that/is/not/so/short"})
			}
			r.addBranch(branch{log: hub.Ended(own.Log())})
		}
		p := talkIn(l, l.rs)
		defer p.over()
		p.send(resumeIt)
		<-p.frames // the frame of branch 0
		next, frames := map[int]event.Seq{1: 2, 2: 2}, map[int]int{}
		for i := 0; next[1] <= events || next[2] <= events; i++ {
			frame := <-p.frames
			id, got, err := protocol.ParseFrame(frame, new(packed.Decoder))
			if err != nil || len(frame) > protocol.MaxFrame {
				t.Fatalf("a frame of %d bytes: %v", len(frame), err)
			}
			for _, e := range got {
				if e.Seq != next[id] {
					t.Fatalf("branch %d: event %d, want %d", id, e.Seq, next[id])
				}
				next[id]++
			}
			if frames[id]++; i < 4*framesAtOnce && id != 1+i/framesAtOnce%2 {
				t.Fatalf("frame %d is of branch %d", i+1, id)
			}
		}
		if frames[1] < 2*framesAtOnce || frames[2] != frames[1] {
			t.Errorf("the branches come in %v frames, which are too few to tell", frames)
		}
	})
}

// TestAFrameIsAsLongAsItMayBe checks that events of a growing log fill frames too, and none is left out.
func TestAFrameIsAsLongAsItMayBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rs := newRooms()
		r := rs.newGrowing(event.Header{Host: "observed"}, "a", ofCluster)
		b := r.observedBranch()
		r.addBranch(b)
		if err := rs.open(r); err != nil {
			t.Fatal(err)
		}
		sink := b.recorder(r)
		sink.full = func() {}
		const events = 300
		long := strings.Repeat("a", 2*maxPath)
		for seq := event.Seq(1); seq <= events; seq++ {
			sink.Append(event.Event{Seq: seq, Kind: event.ZnodeCreated,
				Path: fmt.Sprintf("%04d", seq) + long, At: time.Duration(seq)})
		}
		next, frames := event.Seq(1), 0
		var frame []byte
		for {
			var after event.Seq
			if frame, after = r.appendFrame(frame[:0], 0, 0, next); after == next {
				break
			}
			_, got, err := protocol.ParseFrame(frame, new(packed.Decoder))
			if err != nil || len(frame) > protocol.MaxFrame || event.Seq(len(got)) != after-next {
				t.Fatalf("a frame of %d bytes has %d events from %d to %d: %v", len(frame), len(got), next, after, err)
			}
			for i, e := range got {
				if e.Seq != next+event.Seq(i) || len(e.Path) != maxPath {
					t.Fatalf("event %d has a path of %d bytes", e.Seq, len(e.Path))
				}
			}
			next, frames = after, frames+1
		}
		each := (packed.BlockBytes + maxPath - 1) / maxPath
		if want := (events + each - 1) / each; next != events+1 || frames != want {
			t.Errorf("%d frames to event %d, want %d to %d", frames, next-1, want, events)
		}
	})
}
