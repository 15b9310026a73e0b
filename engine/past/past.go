// Package past reads what servers of a ZooKeeper have left on their disks, as the facts that a log of events is made
// of: what happened, to whose doing, and why each znode went.
//
// It reads files from front to back and keeps of the tree what engine/replay keeps, so they may have any size. It never
// writes.
package past

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/replay"
	"github.com/zkviz/zkviz/engine/txnlog"
	"github.com/zkviz/zkviz/engine/wire"
)

// Files are what one server has left.
type Files struct {
	Logs      []File // in the order of their transactions
	Snapshots []File
	Lacking   []Trouble // what is called like a log or a snapshot and can't be read
	// Passed, unless it is nil, is called every few thousand transactions that are read, with how many bytes of logs that
	// is so far. The reading waits for it.
	Passed func(bytes int64)

	paths []string        // that Find was given
	whole map[string]bool // the logs that have a transaction
}

// Size returns how many bytes all logs have.
func (f Files) Size() (n int64) {
	for _, log := range f.Logs {
		if info, err := os.Stat(log.Path); err == nil {
			n += info.Size()
		}
	}
	return n
}

// passed tells how far it is after the nth transaction.
func (f Files) passed(n int, bytes func() int64) {
	if f.Passed != nil && n%lookUp == 0 {
		f.Passed(bytes())
	}
}

// File is a log or a snapshot.
type File struct {
	Path string
	Zxid int64 // of a log's first transaction, or of the last that is wholly in a snapshot
}

// Trouble is something that the files do not tell.
type Trouble struct {
	Path string // of a file; empty for what lies between them
	Err  error  // a *txnlog.TornError, one of the errors here, or what kept a snapshot from being read
	// Server is whose file it is, by its place in the list of servers; -1 if it isn't one's.
	Server int
}

// GapError is that there are transactions between two that are not in the files.
type GapError struct {
	replay.Gap
	Torn bool // it isn't known how many, or whether there are any: what was between the two can't be read
}

func (e *GapError) Error() string {
	text, they := fmt.Sprintf("the transactions between %#x and %#x are missing", e.After, e.Before), "them"
	if e.Torn {
		text = fmt.Sprintf("something between the transactions %#x and %#x can't be read", e.After, e.Before)
		they = "it"
	}
	if e.Known {
		return fmt.Sprintf("%s; a snapshot tells what was there after %s", text, they)
	}
	return fmt.Sprintf("%s: what was there before %s may have gone since", text, they)
}

// EndError reports that transactions after the last one are missing: a snapshot has them.
type EndError struct {
	After, UpTo int64 // the last that was read, and the last that is in the snapshot
}

func (e *EndError) Error() string {
	return fmt.Sprintf("the transactions after %#x are missing: this snapshot has all up to %#x", e.After, e.UpTo)
}

// ClockError is that a transaction has an earlier time than the one before it: clocks of leaders differ, or one was
// set.
// The order is that of the zxids.
type ClockError struct {
	Zxid     int64
	BeforeMS int64 // the time of the transaction before it, since 1970
	TimeMS   int64
}

func (e *ClockError) Error() string {
	return fmt.Sprintf("the time goes back from %s to %s at the transaction %#x: leaders' clocks differ, or one was set",
		clock(e.BeforeMS), clock(e.TimeMS), e.Zxid)
}

func clock(ms int64) string { return time.UnixMilli(ms).Format("2006-01-02T15:04:05.000Z07:00") }

// DifferError is that servers have different transactions under a number. What most have is read.
type DifferError struct {
	Zxid         int64
	Read, Others string // the servers
}

func (e *DifferError) Error() string {
	return fmt.Sprintf("SERVERS DIFFER at %#x: %s has another transaction than %s, which is read here", e.Zxid, e.Others,
		e.Read)
}

// Read reads the transactions in their order, and what came of each at the znode root and below it. Before the first of
// them it reads the newest snapshot that is as old; each is called with the state, which has taken the transaction in,
// and its facts are good until it returns. What the files do not tell goes to trouble, and the reading goes on. It ends
// with an error of each, or with that of ctx.
func (f Files) Read(ctx context.Context, root string, trouble func(Trouble),
	each func(*replay.State, *wire.Txn, []replay.Fact) error) error {
	return f.ReadWith(ctx, root, trouble, func(*replay.State, *wire.Txn) {}, each)
}

// ReadWith is Read, which also calls before with each transaction and the state that it has not been taken into.
func (f Files) ReadWith(ctx context.Context, root string, trouble func(Trouble), before func(*replay.State, *wire.Txn),
	each func(*replay.State, *wire.Txn, []replay.Fact) error) error {
	return f.read(ctx, func() *replay.State { return replay.New(root) }, trouble, before, each)
}

// ReadTurns reads what Turns follow at a path; each is called as in Read.
func (f Files) ReadTurns(ctx context.Context, of *Turns, trouble func(Trouble),
	each func(*replay.State, *wire.Txn, []replay.Fact) error) error {
	return f.read(ctx, func() *replay.State { return replay.New(of.path, of.Beside()) }, trouble, of.Before, each)
}

func (f Files) read(ctx context.Context, fresh func() *replay.State, trouble func(Trouble),
	before func(*replay.State, *wire.Txn), each func(*replay.State, *wire.Txn, []replay.Fact) error) error {
	servers := f.Servers()
	if len(servers) > MaxServers {
		return ErrServers
	}
	for _, t := range f.Lacking {
		trouble(t)
	}
	c := NewCourse(f, fresh, trouble)
	m := NewMerge(servers, nil, trouble)
	defer m.Close()
	for n := 1; ; n++ {
		f.passed(n, m.Read)
		step, err := m.Next(ctx)
		if err == io.EOF {
			c.End(trouble)
			return nil
		}
		if err != nil {
			return err
		}
		s, t := c.Before(&step), step.Txn
		if step.Others != 0 {
			read := namesIn(servers, step.Has&^step.Others)
			trouble(Trouble{"", &DifferError{t.Zxid, read, namesIn(servers, step.Others)}, -1})
		}
		before(s, t)
		if err := each(s, t, s.Apply(t)); err != nil {
			return err
		}
	}
}

// LastTime returns the time of the last transaction, in ms since 1970; 0 if there is none. It reads no more than the
// last log that has one, as far as that can be read.
func (f Files) LastTime(ctx context.Context) (ms int64, err error) {
	for _, log := range slices.Backward(f.Logs) {
		n := 0
		err := log.read(ctx, func(t *wire.Txn, at int64) error {
			n++
			f.passed(n, func() int64 { return at })
			ms = t.TimeMS
			return nil
		})
		var torn *txnlog.TornError
		if err != nil && !errors.As(err, &torn) {
			return 0, err
		}
		if ms != 0 {
			return ms, nil
		}
	}
	return 0, nil
}

// LastWithin returns the zxid of the last transaction that a filter's times have; 0 if there is none.
func (f Files) LastWithin(ctx context.Context, w *Filter) (zxid int64, err error) {
	m := NewMerge(f.Servers(), nil, func(Trouble) {})
	defer m.Close()
	for {
		step, err := m.Next(ctx)
		if err == io.EOF {
			return zxid, nil
		}
		if err != nil {
			return 0, err
		}
		if w.At(step.Txn.TimeMS) {
			zxid = step.Txn.Zxid
		}
	}
}

// follows reports whether nothing was between two transactions. In a new epoch the numbers begin again.
func follows(a, b int64) bool { return b == a+1 || b>>32 > a>>32 && uint32(b) <= 1 }

// lookUp is after how many transactions a reader looks whether it was interrupted.
const lookUp = 1 << 12

// read calls each with every transaction of a log, and where it ends in the file.
func (f File) read(ctx context.Context, each func(t *wire.Txn, end int64) error) error {
	r, err := txnlog.OpenFile(f.Path, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	defer r.Close()
	var t wire.Txn
	for n := 1; ; n++ {
		if n%lookUp == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var torn *txnlog.TornError
		switch err := r.Next(&t); {
		case err == io.EOF:
			return nil
		case errors.As(err, &torn) && torn.Until > 0:
			continue
		case err != nil:
			return err
		}
		if err := each(&t, r.Offset()); err != nil {
			return err
		}
	}
}

// Before returns what was there before the transaction first, by the newest snapshot that can be read and is older:
// nil if there is none. All transactions up to zxid are in it. It takes the snapshots into states that fresh makes.
func (f Files) Before(first int64, fresh func() *replay.State, trouble func(Trouble)) (s *replay.State, zxid int64) {
	var fuzzy *replay.State // what has something of later transactions, and how far it is whole
	for _, snapshot := range slices.Backward(f.Snapshots) {
		if snapshot.Zxid >= first {
			continue
		}
		s := fresh()
		newest, err := snapshot.into(s)
		if err != nil {
			trouble(Trouble{snapshot.Path, err, -1})
			continue
		}
		if newest < first {
			return s, snapshot.Zxid
		}
		if fuzzy == nil {
			fuzzy, zxid = s, snapshot.Zxid
		}
	}
	return fuzzy, zxid
}

// Damaged reads all snapshots, and returns those that can't be read.
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

// into reads a snapshot into s. A server writes it while it goes on: newest is the last transaction of which something
// can be seen in it.
func (f File) into(s *replay.State) (newest int64, err error) {
	tree := s.Tree()
	err = txnlog.ReadSnapshotFile(f.Path, txnlog.Tree{Session: tree.Session, Node: func(n *txnlog.Node) error {
		newest = max(newest, n.Stat.Czxid, n.Stat.Mzxid, n.Stat.Pzxid)
		return tree.Node(n)
	}})
	return newest, err
}
