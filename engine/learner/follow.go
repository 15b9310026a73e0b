package learner

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/txnlog"
	"github.com/zkviz/zkviz/engine/wire"
)

// FollowConfig says whose transactions to learn.
type FollowConfig struct {
	Servers []string // host:port of each server's quorum port; whichever leads is learned from
	// Dial connects to one of them; nil for plain TCP.
	Dial    func(ctx context.Context, addr string) (net.Conn, error)
	Zxid    int64         // the last transaction that is known; 0 for nothing
	Silence time.Duration // see Config
	// Lost is told each time that there is no leader to learn from any more, or none yet, and why; nil if nobody needs to
	// know. What comes next is a Beginning.
	Lost func(why error)
}

// The pauses between two rounds of all servers.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 2 * time.Second
)

// Follow learns from the server that leads, and goes on with the next leader from the last transaction that has come,
// until ctx ends or a function of to returns an error, which it returns.
func Follow(ctx context.Context, cfg FollowConfig, to To) error {
	if len(cfg.Servers) == 0 {
		return errors.New("no server is named: name their quorum ports, like zk1:2888")
	}
	for _, addr := range cfg.Servers {
		if _, port, err := net.SplitHostPort(addr); err != nil || port == "" {
			return fmt.Errorf("%q is no quorum port: name it as host:port, like zk1:2888", addr)
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
				break // ask the first first: it may lead now
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

// unreached reports whether nobody took the connection. Servers that do not lead don't, so it says less than any other
// reason.
func unreached(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// mostNames is how many servers a reason names: a log has room for few words.
const mostNames = 4

// names names servers.
func names(servers []string) string {
	if len(servers) <= mostNames {
		return strings.Join(servers, ", ")
	}
	return strings.Join(servers[:mostNames-1], ", ") + ", …"
}

// end returns what stands at the end of a chain of errors: the rest of it names addresses and calls.
func end(err error) error {
	for inner := err; inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

// errBack is a leader that knows nothing of the last that has come: all is learned anew.
var errBack = errors.New("the ensemble has gone back: some of what it had said never happened there")

// follower is what is known after some leaders.
type follower struct {
	to    To
	zxid  int64
	began bool  // the present leader has
	stop  error // why the taker wants no more
}

// taker hands on what comes, and remembers how far it is.
func (f *follower) taker() To {
	keep := func(err error) error {
		f.stop = err
		return err
	}
	end := int64(0) // of a tree that is coming
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
				f.zxid = 0 // until all of it is there
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
