package room

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/run/protocol"
)

// slowFinder never finds a room. It reports why it stopped looking.
type slowFinder struct {
	oneRoom
	begun chan struct{}
	ended chan error
}

func newSlowFinder() *slowFinder {
	return &slowFinder{oneRoom{newRooms(), ""}, make(chan struct{}, 10), make(chan error, 10)}
}

func (l *slowFinder) openRoom(ctx context.Context, who ClientKey, r protocol.Request) (*room, error) {
	l.begun <- struct{}{}
	got, err := l.oneRoom.openRoom(ctx, who, r)
	l.ended <- err
	return got, err
}

// TestLeavingEndsWhatIsComputed closes the connection during a computation, with more requests waiting.
func TestLeavingEndsWhatIsComputed(t *testing.T) {
	l := newSlowFinder()
	p := talkIn(l, l.rs)
	for range 5 {
		p.send(openAny)
	}
	<-l.begun
	p.over()
	if err := <-l.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it was computed until %v, though nobody waited for it", err)
	}
	if n := len(l.begun); n > 0 {
		t.Errorf("%d more were begun", n)
	}
}

// TestMessagesWaitTheirTurn sends more than may wait while one request is carried out. The excess is refused, and
// the viewer stays.
func TestMessagesWaitTheirTurn(t *testing.T) {
	l := newSlowFinder()
	p := talkIn(l, l.rs)
	defer p.over()
	p.send(openAny)
	<-l.begun
	long := fmt.Sprintf(`{"do":"resume","run":"%s"}`, strings.Repeat("x", protocol.MaxRequest/2))
	for range 2 * MaxAskBytes / len(long) {
		if !p.send(long) {
			t.Fatal("the connection is gone")
		}
	}
	if r := p.refused(t); r.Do != "resume" || r.AgainMS <= 0 {
		t.Errorf("too many messages are answered with %+v", r)
	}
}
