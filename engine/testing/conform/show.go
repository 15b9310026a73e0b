package conform

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// show formats what a server sends as lines of words and key=value pairs: all that is compared.
type show struct {
	clock    clock
	sessions map[int64]string
}

// response returns the line for a reply. size is that of the whole payload, so that extra bytes count too.
func (s *show) response(r *wire.Response, size int) string {
	b := make([]byte, 0, 160)
	b = append(b, r.Op.String()...)
	b = append(b, ' ')
	b = append(b, codeName(r.Code)...)
	b = append(b, " zxid="...)
	b = strconv.AppendInt(b, r.Zxid, 10)
	if r.Code == zoo.OK {
		b = s.body(b, r)
	}
	b = append(b, " bytes="...)
	return string(strconv.AppendInt(b, int64(size), 10))
}

func (s *show) body(b []byte, r *wire.Response) []byte {
	switch r.Op {
	case wire.OpCreate, wire.OpSync:
		return s.path(b, r.Path)
	case wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		return s.stat(s.path(b, r.Path), &r.Stat)
	case wire.OpExists, wire.OpSetData, wire.OpSetACL:
		return s.stat(b, &r.Stat)
	case wire.OpGetData:
		return s.stat(s.data(b, r.Data), &r.Stat)
	case wire.OpGetChildren, wire.OpGetEphemerals:
		return s.children(b, r.Children)
	case wire.OpGetChildren2:
		return s.stat(s.children(b, r.Children), &r.Stat)
	case wire.OpGetACL:
		return s.stat(append(append(b, " acl="...), printACL(r.ACL)...), &r.Stat)
	case wire.OpAllChildrenNumber:
		return strconv.AppendInt(append(b, " number="...), int64(r.Number), 10)
	case wire.OpSASL:
		return s.data(b, r.Data)
	case wire.OpWhoAmI:
		for _, c := range r.Clients {
			b = append(b, " "+quote(c.Scheme+":"+c.User)...)
		}
	case wire.OpMulti, wire.OpMultiRead:
		for i := range r.Results {
			b = s.result(b, &r.Results[i])
		}
	}
	return b
}

func (s *show) result(b []byte, r *wire.Result) []byte {
	b = append(append(b, "; "...), r.Op.String()...)
	switch r.Op {
	case wire.OpError:
		b = append(append(b, ' '), codeName(r.Code)...)
	case wire.OpCreate:
		b = s.path(b, r.Path)
	case wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		b = s.stat(s.path(b, r.Path), &r.Stat)
	case wire.OpSetData:
		b = s.stat(b, &r.Stat)
	case wire.OpGetData:
		b = s.stat(s.data(b, r.Data), &r.Stat)
	case wire.OpGetChildren:
		b = s.children(b, r.Children)
	}
	return b
}

func (s *show) path(b []byte, path string) []byte { return append(append(b, ' '), quote(path)...) }

func (s *show) data(b []byte, data []byte) []byte {
	return append(append(b, " data="...), printData(data)...)
}

// children are sorted: ZooKeeper doesn't promise an order.
func (s *show) children(b []byte, names []string) []byte {
	if !slices.IsSorted(names) {
		names = slices.Clone(names)
		slices.Sort(names)
	}
	b = append(b, " children="...)
	if len(names) == 0 {
		return append(b, "none"...)
	}
	return append(b, printList(names)...)
}

func (s *show) stat(b []byte, st *zoo.Stat) []byte {
	num := func(key string, n int64) {
		b = append(append(append(b, ' '), key...), '=')
		b = strconv.AppendInt(b, n, 10)
	}
	num("czxid", st.Czxid)
	num("mzxid", st.Mzxid)
	num("pzxid", st.Pzxid)
	num("version", int64(st.Version))
	num("cversion", int64(st.Cversion))
	num("aversion", int64(st.Aversion))
	b = append(append(b, " owner="...), s.session(st.EphemeralOwner)...)
	num("length", int64(st.DataLength))
	num("kids", int64(st.NumChildren))
	b = append(b, s.clock.judge("ctime", st.Czxid, st.Ctime)...)
	return append(b, s.clock.judge("mtime", st.Mzxid, st.Mtime)...)
}

// session returns the name of a session: IDs differ between servers.
func (s *show) session(id int64) string {
	if id == 0 {
		return "none"
	}
	if name, ok := s.sessions[id]; ok {
		return name
	}
	return fmt.Sprintf("stranger:%#x", uint64(id))
}

// event returns the line for a watch event. Its size follows from its path.
func (s *show) event(n *wire.Notification, size int) string {
	line := "event " + eventName(n.Type) + " " + quote(n.Path)
	if n.State != wire.StateSyncConnected {
		line += fmt.Sprintf(" state=%d", n.State)
	}
	if n.Zxid != -1 {
		line += fmt.Sprintf(" zxid=%d", n.Zxid)
	}
	if size != 28+len(n.Path) {
		line += fmt.Sprintf(" bytes=%d", size)
	}
	return line
}

func eventName(t int32) string {
	if t < int32(zoo.NodeCreated) || t > int32(zoo.NodeChildrenChanged) {
		return strconv.Itoa(int(t))
	}
	return zoo.EventType(t).String()
}

// clock records the time of each transaction, as the server reports it. The times of two servers differ, but on one
// server all that a transaction created or changed has its time, and that is near the current time.
type clock map[int64]int64

// aDay is how far a server's clock may be from the local one, in ms.
const aDay = 86_400_000

// judge returns "" if the time is that of the zxid, otherwise what is wrong with it.
func (c clock) judge(key string, zxid, ms int64) string {
	if zxid == 0 && ms == 0 {
		return "" // there since the start
	}
	was, known := c[zxid]
	switch {
	case known && was != ms:
		return fmt.Sprintf(" %s=not-that-of-its-zxid", key)
	case known:
		return ""
	}
	if now := time.Now().UnixMilli(); ms < now-aDay || ms > now+aDay {
		return fmt.Sprintf(" %s=not-today", key)
	}
	c[zxid] = ms
	return ""
}
