package check

import "github.com/zkviz/zkviz/engine/event"

// looks knows the age of each client's last answers about data and about children.
type looks map[event.Actor]*[2]look

type look struct {
	path string
	zxid int64 // of the server as it answered
}

func (l looks) append(e event.Event) {
	if e.Kind != event.OpDone || e.Code != 0 {
		return
	}
	what := 0
	switch e.Op {
	case event.Get:
	case event.Children:
		what = 1
	default:
		return
	}
	if l[e.Actor] == nil {
		l[e.Actor] = new([2]look)
	}
	l[e.Actor][what] = look{e.Path, e.Zxid}
}

// zxid returns how recent the client's knowledge of the znode is. If the log doesn't say, it is the latest.
func (l looks) zxid(c *Checker, a event.Actor, path string) int64 {
	zxid := int64(0)
	if mine := l[a]; mine != nil {
		for _, k := range mine {
			if k.path == path {
				zxid = max(zxid, k.zxid)
			}
		}
	}
	if zxid == 0 {
		return c.zxid
	}
	return zxid
}
