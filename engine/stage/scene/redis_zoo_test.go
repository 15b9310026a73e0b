package scene_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// visitedRedis returns an embedded Redis with n clients of readers: the first has a lock, the second waits for an
// element, the third is gone, and they give themselves arbitrary names.
func visitedRedis(n int) *view.State {
	f := &farLog{s: view.NewFor(event.Header{Host: event.Embedded, Root: "/",
		Systems: []event.System{{Kind: event.RedisSystem, Servers: 1}}})}
	f.put(event.Event{Kind: event.RunStarted, Path: "/"})
	names := []string{"127.0.0.1:40001", "<b>worker</b>", "\u202ereversed\x1b[31m", strings.Repeat("long", 16)}
	for i := range n {
		a := event.Actor(i + 1)
		f.put(event.Event{Kind: event.ClientStarted, Actor: a, Text: names[i%len(names)]})
		f.put(event.Event{Kind: event.ConnOpened, Actor: a, Peer: event.Node(1)})
	}
	f.at(now-time.Second).set(1, 1, "lock", "0123456789abcdef", 10*time.Second)
	f.set(1, 0, "<script>\x00", "left by nobody", 0)
	f.asks(2, 1, "jobs", "BLPOP jobs 30").keeps(1, 2, "jobs")
	f.put(event.Event{Kind: event.ConnClosed, Actor: 3, Peer: event.Node(1), Reason: event.ConnLost})
	f.put(event.Event{Kind: event.ClientExited, Actor: 3})
	return f.end()
}

// TestVisitorsOfRedis checks that a reader's client has the name that it gave itself, and leaves the picture some time
// after it has ended.
func TestVisitorsOfRedis(t *testing.T) {
	s := visitedRedis(4)
	for after, want := range map[time.Duration]string{0: "A B C D", 10 * time.Second: "A B D"} {
		var layout scene.Layout
		plan := layout.Plan(s, now+after, scene.Options{Width: 900, Height: 600, Theme: display.Light()})
		var letters []string
		called := map[string]string{}
		for _, m := range plan.Marks() {
			switch m.Kind {
			case mark.Client:
				letters = append(letters, m.Subject)
			case mark.Called:
				called[m.Subject] = m.Value
			}
		}
		if got := strings.Join(letters, " "); got != want {
			t.Errorf("%v later there are %s, want %s", after, got, want)
		}
		if got := fmt.Sprint(called["A"], " ", called["B"]); got != "127.0.0.1:40001 <b>worker</b>" {
			t.Errorf("they are called %s", got)
		}
	}
}
