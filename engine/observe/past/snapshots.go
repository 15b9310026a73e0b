package past

import (
	"context"
	"slices"

	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
)

// Shown is what a snapshot shows. Its server went on while writing it. So the state contains all transactions up to
// Zxid, and some until Newest: it's right once those in between have been applied to it.
type Shown struct {
	*replay.State
	Zxid, Newest int64
}

// Before returns what the newest readable snapshot shows of those older than the transaction first. Its State is nil
// if there is none. Before reads snapshots into states that fresh creates.
func (f Files) Before(first int64, fresh func() *replay.State, trouble func(Trouble)) Shown {
	for _, snapshot := range slices.Backward(f.Snapshots) {
		if snapshot.Zxid >= first {
			continue
		}
		shown := Shown{State: fresh(), Zxid: snapshot.Zxid}
		err := snapshot.into(&shown)
		if err == nil {
			return shown
		}
		trouble(Trouble{snapshot.Path, err, -1})
	}
	return Shown{}
}

// into reads a snapshot.
func (f File) into(shown *Shown) error {
	tree := shown.Tree()
	node := tree.Node
	tree.Node = func(n *txnlog.Node) error {
		shown.Newest = max(shown.Newest, n.Stat.Czxid, n.Stat.Mzxid, n.Stat.Pzxid)
		return node(n)
	}
	tree.Last = func(zxid int64) { shown.Newest = max(shown.Newest, zxid) }
	return txnlog.ReadSnapshotFile(f.Path, tree)
}

// since returns the files whose snapshots go beyond zxid.
func (f Files) since(zxid int64) Files {
	var newer Files
	for _, s := range f.Snapshots {
		if s.Zxid > zxid {
			newer.Snapshots = append(newer.Snapshots, s)
		}
	}
	return newer
}

// Damaged reads all snapshots and returns the unreadable ones.
func (f Files) Damaged(ctx context.Context) (list []Trouble, err error) {
	n := 0
	look := func() error {
		if n++; n%lookUp == 0 {
			return ctx.Err()
		}
		return nil
	}
	for _, snapshot := range f.Snapshots {
		err := txnlog.ReadSnapshotFile(snapshot.Path, txnlog.Tree{Session: func(int64, int32) error { return look() },
			Node: func(*txnlog.Node) error { return look() }})
		if ctx.Err() != nil {
			return list, ctx.Err()
		}
		if err != nil {
			list = append(list, Trouble{snapshot.Path, err, -1})
		}
	}
	return list, nil
}
