package observe

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/wire/reader"
)

// TestNames checks that many znodes with meaningless names come last and leave room to others, and that data is read
// only where it is wanted.
func TestNames(t *testing.T) {
	f := &fake{}
	f.observer = newObserver(Observation{Path: "/a", Names: &Names{
		Meaningful: func(name string) bool { return strings.HasPrefix(name, "lock-") }}}, &f.log)
	f.requests.asking = 1 << 30
	stat := func(path string, stat zoo.Stat, names ...string) {
		f.requests.queue.drop(path)
		stat.Czxid, stat.NumChildren = 1, int32(len(names))
		f.lists.unlisted[path] = true
		f.answers(reader.Stat, path, wire.Response{Stat: stat})
		if len(names) > 0 {
			f.requests.queue.drop(path)
			f.answers(reader.Children, path, wire.Response{Stat: stat, Children: names})
		}
	}
	f.requests.queue = newReadQueue()
	stat("/a", zoo.Stat{}, "big", "l")
	stat("/a/big", zoo.Stat{}, numbered(MaxNamedNodes+1)...)
	if left := f.left(); !strings.Contains(left, "there are more znodes") {
		t.Errorf("it says %q", left)
	}
	stat("/a/l", zoo.Stat{}, "lock-1", "lock-2")
	stat("/a/l/lock-1", zoo.Stat{EphemeralOwner: 7, DataLength: 4})
	var next []string
	for _, q := range f.requests.queue.take(2, false) {
		next = append(next, q.Path)
		if q.Kind != reader.Stat {
			t.Errorf("it asks for %+v", q)
		}
	}
	if got := strings.Join(next, " "); got != "/a/l/lock-2 /a/big/00000" {
		t.Errorf("it reads %s", got)
	}
	f.want("/a/l/lock-1")
	f.answers(reader.Data, "/a/l/lock-1", wire.Response{Stat: zoo.Stat{Czxid: 1, EphemeralOwner: 7, DataLength: 4},
		Data: []byte("host")})
	last := f.log[len(f.log)-1]
	if last.Introduces() || last.Kind != event.ZnodeFound || last.Path != "/a/l/lock-1" || last.Text != "host" {
		t.Errorf("it tells of data with %+v", last)
	}
	f.fires(zoo.NodeDataChanged, "/a/l/lock-1")
	f.answers(reader.Stat, "/a/l/lock-1",
		wire.Response{Stat: zoo.Stat{Czxid: 1, Mzxid: 9, EphemeralOwner: 7, DataLength: 5}})
	if f.requests.queue.needs["/a/l/lock-1"]&needData == 0 {
		t.Error("data that was wanted isn't read again when it has changed")
	}
}
