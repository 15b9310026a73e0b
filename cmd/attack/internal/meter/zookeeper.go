package meter

import (
	"context"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/wire/peer"
	"github.com/zkviz/zkviz/engine/zoo"
)

// PolitePath is the znode below which the polite client works, on the ZooKeeper inside.
const PolitePath = "/polite"

const (
	politeSession  = 10 * time.Second
	politePatience = 10 * time.Second // for one answer
)

// ZooKeeper is a client with a session of its own that makes an ephemeral znode, watches, changes and deletes it,
// a round trip after every pause, until ctx ends. One that is cut off is counted and comes back.
func ZooKeeper(ctx context.Context, from client.From, addr string, pause time.Duration, s *Samples) {
	for ctx.Err() == nil {
		start := time.Now()
		p, err := from.ZooKeeper(ctx, addr, politeSession, politePatience)
		if err == nil {
			stop := context.AfterFunc(ctx, p.Abort)
			err = rounds(ctx, p, pause, s, &start)
			if stop() {
				p.Abort()
			}
		}
		if err != nil && ctx.Err() == nil {
			s.failed(time.Since(start), err)
			rest(ctx, politeSession/10)
		}
	}
}

// rounds works until ctx or the session ends. start is when the request was sent that is under way.
func rounds(ctx context.Context, p *peer.Peer, pause time.Duration, s *Samples, start *time.Time) error {
	path := fmt.Sprintf("%s/p-%x", PolitePath, p.Welcome.Session)
	// it may be there
	if _, _, err := p.Do(wire.Request{Op: wire.OpCreate, Path: PolitePath, ACL: zoo.OpenACL()}); err != nil {
		return err
	}
	asks := []wire.Request{
		{Op: wire.OpCreate, Path: path, Data: []byte("a"), ACL: zoo.OpenACL(), Flags: int32(zoo.Ephemeral)},
		{Op: wire.OpGetData, Path: path, Watch: true},
		{Op: wire.OpSetData, Path: path, Data: []byte("b"), Version: -1},
		{Op: wire.OpExists, Path: path},
		{Op: wire.OpDelete, Path: path, Version: -1},
	}
	for i := 0; ctx.Err() == nil; i++ {
		ask := asks[i%len(asks)]
		ask.Xid = int32(i + 1)
		*start = time.Now()
		answer, events, err := p.Do(ask)
		took := time.Since(*start)
		switch {
		case err != nil:
			return err
		case answer.Code != zoo.OK:
			return fmt.Errorf("%v %s: %w", ask.Op, ask.Path, answer.Code)
		case ask.Op == wire.OpSetData && len(events) != 1:
			return fmt.Errorf("setData %s: %d watch events came before the answer, not 1", ask.Path, len(events))
		}
		s.answered(took)
		rest(ctx, pause-took)
	}
	return nil
}
