package index

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
)

// reader is a position in the files. It can continue when they have grown.
type reader struct {
	m      *past.Merge
	states *past.States
	all    *past.Comparer
	p      pass
	gap    replay.Gap
}

func (x *Index) newReader() *reader {
	return &reader{m: past.NewMerge(x.servers, nil, x.torn), all: past.NewComparer(x.servers),
		states: past.NewStates(x.files, func() *replay.State { return fresh("/") }, x.complain)}
}

// torn handles an unreadable part of a log. At the end of a server's newest log it may just be unfinished.
func (x *Index) torn(t past.Trouble) {
	var torn *txnlog.TornError
	logs := x.servers[t.Server].Logs
	if !errors.As(t.Err, &torn) || torn.Until > 0 || t.Path != logs[len(logs)-1].Path {
		x.in.all.Torn(t)
		x.complain(t)
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.growing {
		t.Err = writing{torn.Offset}
	}
	x.tails = append(x.tails, t)
}

// ends records what is missing after the last transaction. It disappears once the files have it.
func (x *Index) ends(t past.Trouble) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.tails = append(x.tails, t)
}

// Read reads all files. Queries work meanwhile, on what is known so far.
func (x *Index) Read(ctx context.Context) error {
	x.turn <- struct{}{}
	defer func() { <-x.turn }()
	err := x.readAll(ctx)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.opened, x.done, x.err = true, true, err; err == nil {
		x.read = x.total
	}
	return err
}

// maxPurges is how many times files may be found deleted during reading before it fails.
const maxPurges = 3

// readAll reads to the end of the files, and starts again if some are deleted meanwhile.
func (x *Index) readAll(ctx context.Context) error {
	err := x.toEnd(ctx)
	for range maxPurges {
		if !errors.Is(err, os.ErrNotExist) || !x.news(x.seen.at) {
			return err
		}
		err = x.toEnd(ctx)
	}
	return err
}

// toEnd reads to the end of the files. It can be called again when ctx has ended.
func (x *Index) toEnd(ctx context.Context) error {
	r := x.in
	defer func() {
		r.m.Close()
		x.put(&r.p, r.m, r.all)
	}()
	for {
		step, err := r.m.Next(ctx)
		if err == io.EOF {
			r.states.End(x.ends)
			return nil
		}
		if err != nil {
			return err
		}
		s := r.states.Before(&step)
		if s.Gap() != r.gap {
			r.gap = s.Gap()
			x.broken(step.Txn.TimeMS)
		}
		if r.p.txns >= x.cut || r.p.txns == 0 {
			x.put(&r.p, r.m, r.all)
			r.p = pass{chunk: chunk{at: r.m.At(), zxid: step.Txn.Zxid, minMS: math.MaxInt64}}
			if !r.states.Awaits() {
				x.keep(s)
			}
		}
		r.all.Take(r.m, &step)
		t := step.Txn
		r.p.add(t.TimeMS, countsOf(s.Apply(t)))
		r.p.end = t.Zxid + 1
	}
}

// ReadOn checks at the time now whether the files have grown, and reads what is new until ctx ends. Another call
// then continues, and Status says that reading isn't done. If logs were deleted or replaced, it starts again with
// the existing ones. It does nothing before Read has ended.
//
// With several servers, the order of new transactions is known only when all have written them. ReadOn then reads
// their files from the beginning, at most every second for each 10 MB of them. Status says so meanwhile.
func (x *Index) ReadOn(ctx context.Context, now time.Time) {
	x.mu.Lock()
	opened, done := x.opened, x.done
	x.mu.Unlock()
	if !opened {
		return
	}
	select {
	case x.turn <- struct{}{}:
		defer func() { <-x.turn }()
	case <-ctx.Done():
		return
	}
	if done && !x.news(now) {
		return
	}
	err := x.readAll(ctx)
	x.mu.Lock()
	defer x.mu.Unlock()
	switch x.done, x.err = true, err; {
	case err == nil:
		x.read = x.total
	case errors.Is(err, ctx.Err()):
		x.done, x.err = false, nil
	}
}

// perSecond is how many bytes of files are read from the beginning per second at most.
const perSecond = 10 << 20

// news reports whether there is something to read, and prepares for it.
func (x *Index) news(at time.Time) bool {
	files, err := x.files.Again()
	if errors.Is(err, past.ErrNoLog) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.goneAre(x.seen.lost(seen{}))
		x.seen = seen{}
		return false
	}
	now, looked := look(files, at)
	if err != nil || looked != nil {
		return false // the next call looks again
	}
	lost := x.seen.lost(now)
	changed, unsure := x.seen.changed(now)
	x.mu.Lock()
	x.growing = x.growing || changed
	x.files.Snapshots, x.files.Lacking = files.Snapshots, files.Lacking
	x.behind = false
	x.mu.Unlock()
	switch {
	case !changed && !unsure && len(lost) == 0:
		return false
	case len(lost) == 0 && x.resume(files, now):
		return true
	case len(lost) == 0 && at.Sub(x.seen.at) < time.Duration(x.in.m.Read()/perSecond)*time.Second:
		x.mu.Lock()
		x.behind = true
		x.mu.Unlock()
		return false
	}
	x.mu.Lock()
	x.goneAre(lost)
	x.mu.Unlock()
	return x.begin(files, now) == nil
}

// resume continues where reading ended, if the files of a single server have grown. It reports whether it can.
func (x *Index) resume(files past.Files, now seen) bool {
	servers := files.Servers()
	had := x.files.Logs
	if len(x.servers) != 1 || len(servers) != 1 || len(files.Logs) < len(had) ||
		!slices.Equal(had, files.Logs[:len(had)]) || x.in.m.Resume(servers[0]) != nil {
		return false
	}
	for _, log := range had[:len(had)-1] {
		if x.seen.logs[log.Path] != now.logs[log.Path] {
			return false
		}
	}
	x.in.states.SetFiles(files)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.files, x.servers, x.total, x.tails, x.done = files, servers, now.total, nil, false
	x.seen = now
	return true
}

// maxGone is how many names of deleted logs are kept.
const maxGone = 10

func (x *Index) goneAre(names []string) {
	slices.Sort(names)
	x.gone = append(slices.Clone(x.gone), names...)
	x.gone = x.gone[max(0, len(x.gone)-maxGone):]
}
