package observe

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire/reader"
)

// recalled is a znode as a log shows it, until this observer has read it itself. Of its Stat the log tells the
// Czxid, the owner, and perhaps the Mzxid.
type recalled struct {
	text     string
	length   int64
	asOf     int64 // a zxid at which it was so
	most     int64 // its version was at most this, or was so when the log began
	versions bool  // it came during the log, so that most is its version indeed
	undated  bool  // the log was cut off before its creation time
}

// complete fills in what the log doesn't tell of a znode. Where the znode is as it was, it takes that from what is
// read now. Where it has changed, it assumes as few changes as there can have been.
func (o *observer) complete(path string, n *observed, kind reader.Kind, stat *zoo.Stat, data []byte) {
	r := n.recalled
	if n.recalled = nil; stat.Czxid != n.stat.Czxid {
		return
	}
	mzxid := n.stat.Mzxid
	n.stat = *stat
	if r.changed(mzxid, kind, stat, data) {
		n.stat.Mzxid = mzxid
		if n.stat.Version--; r.versions && r.most < int64(n.stat.Version) {
			n.stat.Version = int32(r.most)
		}
	}
	if r.undated {
		o.log.emit(event.Event{Kind: event.ZnodeFound, Path: valid(path), N: stat.Ctime})
	}
}

// changed reports whether a znode's data has changed since the log was cut off. mzxid is the last change in the log,
// 0 if unknown.
func (r *recalled) changed(mzxid int64, kind reader.Kind, stat *zoo.Stat, data []byte) bool {
	switch {
	case mzxid != 0:
		return stat.Mzxid != mzxid
	case stat.Mzxid <= r.asOf:
		return false
	case int64(stat.Version) > r.most || int64(stat.DataLength) != r.length:
		return true
	}
	return kind == reader.Data && event.Preview(data) != r.text
}
