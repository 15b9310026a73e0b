package learner

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// FollowConfig says which ensemble's transactions to read.
type FollowConfig struct {
	Servers []string // host:port of each server's quorum port; the leader among them is used
	// Dial connects to a server; nil for plain TCP.
	Dial    func(ctx context.Context, addr string) (net.Conn, error)
	Zxid    int64         // the last known transaction; 0 for none
	Silence time.Duration // see Config
	// Lost receives the reason each time there is no leader, or none yet; it may be nil. A Beginning follows.
	Lost func(why error)
}

// The pauses between two rounds of all servers.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 2 * time.Second
)

// Follow reads from the leader. It continues with the next leader after the last transaction received, until ctx
// ends or a function of to returns an error, which Follow returns.
func Follow(ctx context.Context, cfg FollowConfig, to To) error {
	if len(cfg.Servers) == 0 {
		return errors.New("no server is given: name their quorum ports, like zk1:2888")
	}
	for _, addr := range cfg.Servers {
		if _, port, err := net.SplitHostPort(addr); err != nil || port == "" {
			return fmt.Errorf("%q is not a quorum port: write host:port, like zk1:2888", addr)
		}
	}
	f := &follower{to: to, zxid: cfg.Zxid}
	for pause, was := firstPause, ""; ; pause = min(2*pause, lastPause) {
		var lost error
		for _, addr := range cfg.Servers {
			err := Learn(ctx, Config{Leader: addr, Dial: cfg.Dial, Zxid: f.zxid, Silence: cfg.Silence}, f.taker())
			if f.stop != nil {
				return f.stop
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if lost == nil || f.began || unreached(lost) && !unreached(err) {
				lost = err
			}
			if f.began {
				f.began, pause, was = false, firstPause, ""
				lost = sentence.Wrap(end(err), "away.leader-gone", sentence.Text(addr))
				break // start with the first server again: it may lead now
			}
		}
		if unreached(lost) {
			lost = sentence.Wrap(end(lost), "away.no-leader", sentence.Text(names(cfg.Servers)))
		}
		if cfg.Lost != nil && lost.Error() != was {
			was = lost.Error()
			cfg.Lost(lost)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// unreached reports whether no server accepted a connection. Servers that don't lead don't accept, so this says
// less than any other reason.
func unreached(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// mostNames is how many servers a reason names, because a log has little room for text.
const mostNames = 4

// names lists servers.
func names(servers []string) string {
	if len(servers) <= mostNames {
		return strings.Join(servers, ", ")
	}
	return strings.Join(servers[:mostNames-1], ", ") + ", …"
}

// end returns the innermost error of a chain. The outer ones name addresses and calls.
func end(err error) error {
	for inner := err; inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

// errBack reports that a leader doesn't know the last transaction received. Everything must be read again.
var errBack = errors.New("the ensemble was rolled back: some transactions that it reported are gone")

// follower holds what is known across leaders.
type follower struct {
	to    To
	zxid  int64
	began bool  // the current leader has sent its Beginning
	stop  error // the error of a function of to
}

// taker returns functions that pass everything on and record the progress.
func (f *follower) taker() To {
	keep := func(err error) error {
		f.stop = err
		return err
	}
	end := int64(0) // of an incomplete tree
	return To{
		Begin: func(b Beginning) error {
			f.began = true
			if b.Kept && b.Zxid < f.zxid {
				f.zxid = 0
				return errBack
			}
			if end = b.Zxid; b.Kept {
				f.zxid = b.Zxid
			} else {
				f.zxid = 0 // until the tree is complete
			}
			return keep(f.to.Begin(b))
		},
		Tree: txnlog.Tree{
			Session: func(id int64, ms int32) error { return keep(f.to.Tree.Session(id, ms)) },
			Node:    func(n *txnlog.Node) error { return keep(f.to.Tree.Node(n)) },
		},
		Txn: func(t *wire.Txn) error {
			f.zxid = t.Zxid
			return keep(f.to.Txn(t))
		},
		Synced: func() error {
			f.zxid = max(f.zxid, end)
			return keep(f.to.Synced())
		},
	}
}
