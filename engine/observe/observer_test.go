package observe

import (
	"testing"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
)

// TestMadeBetweenReads reads a znode that was deleted and its parent side by side, and the znode is made again
// just between the two: the parent's list has it already. It must be found.
func TestMadeBetweenReads(t *testing.T) {
	log := &logged{}
	o, d := newObserver(Observation{Path: "/a"}, log), newDirty()
	parent := job{path: "/a", data: true, stat: &zk.Stat{Czxid: 1, NumChildren: 1}, names: []string{"x"}, listed: true}
	o.take(parent, d)
	o.take(job{path: "/a/x", data: true, err: zk.ErrNoNode}, d)
	for reads := 0; ; reads++ {
		jobs, _ := d.pick(func(string) bool { return true })
		if len(jobs) == 0 {
			break
		}
		if reads > 3 {
			t.Fatal("it reads for ever")
		}
		for _, j := range jobs {
			j.stat = &zk.Stat{Czxid: 2}
			if j.path == "/a" {
				j.stat, j.names, j.listed = parent.stat, parent.names, true
			}
			o.take(j, d)
		}
	}
	if n := log.count(event.ZnodeCreated); n != 2 {
		t.Errorf("%d znodes were found: %v", n, *log)
	}
}
