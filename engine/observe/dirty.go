package observe

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/admin"
	"github.com/zkviz/zkviz/engine/zoo"
)

// dirty is the znodes that have to be read again, on one connection.
type dirty struct {
	mu   sync.Mutex
	jobs map[string]job
	more chan struct{}
}

// job is a znode to be read, and then what was read.
type job struct {
	path     string
	data     bool // read its data
	children bool // list its children

	text   []byte
	stat   *zk.Stat
	names  []string
	listed bool
	large  bool // it has too many children to list
	err    error
	reads  int
}

func newDirty() *dirty { return &dirty{jobs: map[string]job{}, more: make(chan struct{}, 1)} }

func (d *dirty) mark(path string, data, children bool) {
	d.mu.Lock()
	j := d.jobs[path]
	d.jobs[path] = job{path: path, data: j.data || data, children: j.children || children}
	d.mu.Unlock()
	select {
	case d.more <- struct{}{}:
	default:
	}
}

// event takes a watch event.
func (d *dirty) event(e zk.Event) {
	switch e.Type {
	case zk.EventNodeDataChanged:
		d.mark(e.Path, true, false)
	case zk.EventNodeChildrenChanged:
		d.mark(e.Path, false, true)
	case zk.EventNodeCreated, zk.EventNodeDeleted:
		d.mark(e.Path, true, true)
	}
}

// take waits for znodes to be read and returns some, in the order of their paths: parents come first.
func (d *dirty) take(ctx context.Context, ripe func(path string) bool) ([]job, error) {
	for {
		jobs, left := d.pick(ripe)
		if len(jobs) > 0 {
			return jobs, nil
		}
		var later <-chan time.Time
		if left {
			later = time.After(rereadEvery / 4)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-d.more:
		case <-later:
		}
	}
}

func (d *dirty) pick(ripe func(path string) bool) (jobs []job, left bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for path, j := range d.jobs {
		if ripe(path) {
			jobs = append(jobs, j)
		}
	}
	slices.SortFunc(jobs, func(a, b job) int { return strings.Compare(a.path, b.path) })
	jobs = jobs[:min(len(jobs), batch)]
	for _, j := range jobs {
		delete(d.jobs, j.path)
	}
	return jobs, len(d.jobs) > 0
}

// fetch reads the znode, and sets the watches that tell of its next change.
func (j *job) fetch(conn *zk.Conn, root string) {
	if j.data {
		j.reads++
		j.text, j.stat, _, j.err = conn.GetW(j.path)
		switch code := admin.CodeOf(j.err); {
		case code == zoo.ErrNoNode && j.path == root, code == zoo.ErrNoAuth:
			j.fetchStat(conn)
		}
	} else {
		j.reads++
		var there bool
		if there, j.stat, j.err = conn.Exists(j.path); j.err == nil && !there {
			j.err = zk.ErrNoNode
		}
	}
	if j.err != nil && admin.CodeOf(j.err) != zoo.ErrNoAuth || !j.children {
		return
	}
	switch {
	case j.stat.EphemeralOwner != 0 || j.deep(root):
	case j.stat.NumChildren > MaxObservedChildren:
		j.large = true
	default:
		j.fetchNames(conn)
	}
}

// fetchStat looks at a znode that is missing or secret: existence is no secret, and a watch for it can be
// set in any case.
func (j *job) fetchStat(conn *zk.Conn) {
	why := j.err
	j.reads++
	there, stat, _, err := conn.ExistsW(j.path)
	j.stat, j.err = stat, err
	switch {
	case err == nil && !there:
		j.err = zk.ErrNoNode
	case err == nil && admin.CodeOf(why) == zoo.ErrNoAuth:
		j.err = why
	case err == nil: // it was made between the two reads
		j.text, j.stat, j.err = conn.Get(j.path)
	}
}

func (j *job) fetchNames(conn *zk.Conn) {
	j.reads++
	names, _, _, err := conn.ChildrenW(j.path)
	switch {
	case err == nil:
		j.names, j.listed = names, true
	case admin.CodeOf(err) == zoo.ErrNoAuth:
		j.err = zk.ErrNoAuth
	default:
		j.err = err
	}
}
