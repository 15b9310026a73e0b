// Package past reads the files of ZooKeeper servers as the facts that make up a log of events: what happened, who
// caused it, and why each znode went.
//
// It reads files from front to back and keeps only the tree that engine/observe/replay keeps, so they may have any
// size. It never writes.
package past

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Files are the logs and snapshots of a server, or of several.
type Files struct {
	Logs      []File // in the order of their transactions
	Snapshots []File
	Lacking   []Trouble // unreadable files with the name of a log or a snapshot
	// Passed, unless it is nil, is called every few thousand transactions with the number of bytes read so far.
	// Reading waits for it.
	Passed func(bytes int64)

	paths []string        // the arguments of Find
	whole map[string]bool // the logs that have a transaction
}

// Size returns the size of all logs in bytes.
func (f Files) Size() (n int64) {
	for _, log := range f.Logs {
		if info, err := os.Stat(log.Path); err == nil {
			n += info.Size()
		}
	}
	return n
}

// passed reports the progress after the nth transaction.
func (f Files) passed(n int, bytes func() int64) {
	if f.Passed != nil && n%lookUp == 0 {
		f.Passed(bytes())
	}
}

// File is a log or a snapshot.
type File struct {
	Path string
	Zxid int64 // a log's first transaction, or the last one wholly in a snapshot
}

// Trouble is something missing from the files.
type Trouble struct {
	Path string // a file; empty if it concerns no single file
	Err  error  // a *txnlog.TornError, an error of this package, or the error of reading a snapshot
	// Server is the index of the server, or -1 for none.
	Server int
}

// GapError reports that transactions between two others are missing.
type GapError struct {
	replay.Gap
	Torn bool // their number is unknown, possibly 0: the part between the two is unreadable
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
	After, UpTo int64 // the last transaction read, and the last in the snapshot
}

func (e *EndError) Error() string {
	return fmt.Sprintf("the transactions after %#x are missing: this snapshot has all up to %#x", e.After, e.UpTo)
}

// ClockError reports a transaction with an earlier time than its predecessor. Leaders' clocks differ, or one was
// set. The zxids decide the order.
type ClockError struct {
	Zxid     int64
	BeforeMS int64 // the time of its predecessor, since 1970
	TimeMS   int64
}

func (e *ClockError) Error() string {
	return fmt.Sprintf("the time goes back from %s to %s at the transaction %#x: leaders' clocks differ, or one was set",
		clock(e.BeforeMS), clock(e.TimeMS), e.Zxid)
}

func clock(ms int64) string { return time.UnixMilli(ms).Format("2006-01-02T15:04:05.000Z07:00") }

// DifferError reports that servers have different transactions under a number. The majority's transaction is read.
type DifferError struct {
	Zxid         int64
	Read, Others string // names of servers
}

func (e *DifferError) Error() string {
	return fmt.Sprintf("SERVERS DIFFER at %#x: %s has another transaction than %s, which is read here", e.Zxid, e.Others,
		e.Read)
}

// Read reads the transactions in order, with their facts at the znode root and below it. It starts from the newest
// snapshot that is older than the first one. Each is called with the state after the transaction. The facts are
// valid until it returns. Read reports missing data to trouble and continues. It ends with an error of each, or
// with that of ctx.
func (f Files) Read(ctx context.Context, root string, trouble func(Trouble),
	each func(*replay.State, *wire.Txn, []replay.Fact) error) error {
	return f.ReadWith(ctx, root, trouble, func(*replay.State, *wire.Txn) {}, each)
}

// ReadWith does what Read does, and also calls before with the state before each transaction.
func (f Files) ReadWith(ctx context.Context, root string, trouble func(Trouble), before func(*replay.State, *wire.Txn),
	each func(*replay.State, *wire.Txn, []replay.Fact) error) error {
	return f.read(ctx, func() *replay.State { return replay.New(root) }, trouble, before, each)
}

// ReadHandovers reads what Handovers follows at a path. Each is called as in Read.
func (f Files) ReadHandovers(ctx context.Context, of *Handovers, trouble func(Trouble),
	each func(*replay.State, *wire.Txn, []replay.Fact) error) error {
	return f.read(ctx, func() *replay.State { return replay.New(of.path, of.DoorPath()) }, trouble, of.Before, each)
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
	c := NewStates(f, fresh, trouble)
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

// LastTime returns the time of the last transaction in ms since 1970, or 0 if there is none. It reads only the last
// log that has one, as far as it is readable.
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

// LastWithin returns the zxid of the last transaction in a filter's period, or 0 if there is none.
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

// follows reports whether nothing is missing between two transactions. In a new epoch the numbers start again.
func follows(a, b int64) bool { return b == a+1 || b>>32 > a>>32 && uint32(b) <= 1 }

// lookUp is the number of transactions between two checks for cancellation.
const lookUp = 1 << 12

// read calls each with every transaction of a log and its end in the file.
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
