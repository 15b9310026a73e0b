package follow

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// Hour is how one lock was held in the last hour.
type Hour struct {
	Report // on the lock, with its row if there still is one
	holds.History
	Known bool // the lock is or was there; History says nothing if it wasn't
}

// Hour describes the lock at a path in the last hour. What is read is only known since somebody has first asked for it
// or for the locks around it. It fails like ReportOn.
func (l *Locks) Hour(ctx context.Context, path string) (h Hour, err error) {
	known := locks.Known{Client: func(id int64) locks.Client { return locks.Client{Addr: l.addresses.of(id)} }}
	if l.on.Feed != nil && l.on.Feed.Joined() {
		if h.Report, err = l.ReportOn(ctx, Ask{Path: path}); err != nil {
			return h, err
		}
		l.joined.hour(&h, path, known)
	} else {
		root := l.rootOf(path)
		if h.Report, err = l.ReportOn(ctx, Ask{Path: root}); err != nil {
			return h, err
		}
		l.readingOf(root).hour(&h, path, known)
	}
	h.Rows = slices.DeleteFunc(h.Rows, func(r locks.Row) bool { return r.Path != path })
	return h, nil
}

// Address returns the last known address of a session's client, host:port; empty if none is known.
func (l *Locks) Address(session int64) string { return l.addresses.of(session) }

// rootOf returns the path of the reading that has followed a path for longest, or the path itself if none does.
func (l *Locks) rootOf(path string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	root, since := path, int64(0)
	for at, r := range l.read {
		if !window.Within(path, at) {
			continue
		}
		if from := r.fromMS(); from != 0 && (since == 0 || from < since || from == since && at < root) {
			root, since = at, from
		}
	}
	return root
}

// fromMS returns since when it has been followed, in ms since 1970; 0 if it isn't yet.
func (r *reading) fromMS() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.FromMS()
}

func (r *reading) hour(h *Hour, path string, known locks.Known) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log.Done()
	h.History, h.Known = r.log.Hour(path, cmp.Or(h.AsOfMS, time.Now().UnixMilli()), r.lacking(known))
}

func (j *joinedLocks) hour(h *Hour, path string, known locks.Known) {
	j.mu.Lock()
	defer j.mu.Unlock()
	h.History, h.Known = j.locks.Hour(path, cmp.Or(h.AsOfMS, time.Now().UnixMilli()), known)
}
