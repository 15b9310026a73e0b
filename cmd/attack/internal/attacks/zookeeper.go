package attacks

import (
	"context"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/wire/peer"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Root is the znode below which attacks work. What they leave there is removed after each.
const Root = "/attack"

const (
	sessionTimeout = 4 * time.Second  // the shortest that the server grants
	longSession    = 20 * time.Second // of sessions that say nothing and are to last
	patience       = 30 * time.Second
)

// handful is how many addresses attackers come from: more than one, since budgets go by the address.
const handful = 8

// attackers is the net of their addresses.
const attackers = 1

// sources are the addresses of a handful.
func sources() []client.From { return client.Several(attackers, handful) }

// loner is a single attacker's address.
func loner() client.From { return client.Address(attackers, 100) }

// session opens one on the ZooKeeper inside. It ends with ctx, or when done is called.
func (w *World) session(ctx context.Context, from client.From) (p *peer.Peer, done func(), err error) {
	return w.sessionFor(ctx, from, sessionTimeout)
}

func (w *World) sessionFor(ctx context.Context, from client.From, timeout time.Duration) (p *peer.Peer, done func(),
	err error) {
	p, err = from.ZooKeeper(ctx, w.ZooKeeper, timeout, patience)
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, p.Abort)
	return p, func() { stop(); p.Abort() }, nil
}

// sessions plays with n sessions at once, from a handful of addresses in turn.
func (w *World) sessions(ctx context.Context, n int, t *tally, play func(ctx context.Context, i int, p *peer.Peer)) {
	from := sources()
	each(ctx, n, func(ctx context.Context, i int) {
		p, done, err := w.sessionFor(ctx, from[i%len(from)], longSession)
		if err != nil {
			t.add("not connected")
			return
		}
		defer done()
		play(ctx, i, p)
	})
}

// closing ends a session, and with it what is ephemeral, if there is time for that.
func closing(p *peer.Peer) { _ = p.Close() } // otherwise its timeout does

// create is a request for an open znode.
func create(path string, data []byte, mode zoo.CreateMode) wire.Request {
	return wire.Request{Op: wire.OpCreate, Path: path, Data: data, ACL: zoo.OpenACL(), Flags: int32(mode)}
}

// root makes Root.
func root(p *peer.Peer) error {
	answer, _, err := p.Do(create(Root, nil, zoo.Persistent))
	if err == nil && answer.Code != zoo.OK && answer.Code != zoo.ErrNodeExists {
		err = fmt.Errorf("create %s: %w", Root, answer.Code)
	}
	return err
}

const (
	batch      = 500 // parts of one multi
	batchesOut = 8   // multis under way
)

// many does n requests as multis, several under way, and returns how many were done before one was refused or the
// connection ended, and why.
func many(ctx context.Context, p *peer.Peer, n int, request func(i int) wire.Request) (done int, refused error) {
	sent, out := 0, []int(nil)
	for done < n && ctx.Err() == nil {
		for len(out) < batchesOut && sent < n {
			multi := wire.Request{Op: wire.OpMulti}
			for i := sent; i < min(n, sent+batch); i++ {
				multi.Ops = append(multi.Ops, request(i))
			}
			if err := p.Send(multi); err != nil {
				return done, err
			}
			sent += len(multi.Ops)
			out = append(out, len(multi.Ops))
		}
		m, err := p.Recv()
		if err != nil {
			return done, err
		}
		if m.IsNotification {
			continue
		}
		if err := outcome(m.Response); err != nil {
			return done, err
		}
		done += out[0]
		out = out[1:]
	}
	return done, ctx.Err()
}

// outcome is the error of a multi's answer, of its culprit if it has one.
func outcome(r wire.Response) error {
	if r.Code != zoo.OK {
		return r.Code
	}
	for _, part := range r.Results {
		if part.Op == wire.OpError && part.Code != zoo.OK && part.Code != zoo.ErrRuntimeInconsistency {
			return part.Code
		}
	}
	return nil
}

// peerOf is a session with the znodes that it has made.
type peerOf struct {
	*peer.Peer
	done func()
	made int
}
