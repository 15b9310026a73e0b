package conform

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// String returns the script in the form that Parse parses.
func (s Script) String() string {
	var b strings.Builder
	for i := range s {
		b.WriteString(s[i].String())
		b.WriteByte('\n')
	}
	return b.String()
}

// String returns the step's line, or lines for a multi, below its note.
func (s *Step) String() string {
	if s.Note == "" {
		return s.line()
	}
	return "#" + strings.ReplaceAll(s.Note, "\n", "\n#") + "\n" + s.line()
}

func (s *Step) line() string {
	switch s.Kind {
	case Ask:
		return s.ask()
	case Connect:
		return "connect " + s.Conn + s.Hello.print(s)
	case Drop:
		return "drop " + s.Conn
	case Expire:
		return "expire " + s.Conn + s.Hello.print(s)
	case Starve:
		return "starve " + s.Conn + s.Hello.print(s)
	case Raw:
		line := fmt.Sprintf("raw %s %d %s", s.Conn, s.Req.Op, hex.EncodeToString(s.Bytes))
		return strings.TrimSpace(line) + printXid(s.Req.Xid)
	case Frame:
		return strings.TrimSpace("frame " + s.Conn + " " + hex.EncodeToString(s.Bytes))
	case Stream:
		return strings.TrimSpace("stream " + s.Conn + " " + hex.EncodeToString(s.Bytes))
	case Shake:
		return strings.TrimSpace("shake " + s.Conn + " " + hex.EncodeToString(s.Bytes))
	case Await:
		return fmt.Sprintf("await %d", s.N)
	case Break:
		return "--"
	}
	return "# no step"
}

func (s *Step) ask() string {
	line := s.Req.Op.String() + " " + s.Conn + printFields(&s.Req, s.Since) + printXid(s.Req.Xid)
	for i := range s.Req.Ops {
		line += "\n+ " + s.Req.Ops[i].Op.String() + printFields(&s.Req.Ops[i], false)
	}
	return line
}

func printXid(xid int32) string {
	if xid == 0 {
		return ""
	}
	return fmt.Sprintf(" xid=%d", xid)
}

func (h *Hello) print(s *Step) string {
	var b strings.Builder
	if h.Session != "" {
		b.WriteString(" session=" + h.Session)
	}
	if h.Password != RightPassword {
		b.WriteString(" password=" + passwords()[h.Password])
	}
	if h.Timeout != usualTimeout(s.Kind) {
		fmt.Fprintf(&b, " timeout=%d", h.Timeout)
	}
	if h.Seen != 0 || s.Since {
		b.WriteString(" seen=" + printZxid(h.Seen, s.Since))
	}
	if h.Version != 0 {
		fmt.Fprintf(&b, " version=%d", h.Version)
	}
	if h.ReadOnly != NotReadOnly {
		b.WriteString(" readonly=" + readOnlys()[h.ReadOnly])
	}
	return b.String()
}

// passwords are the names of Passwords, by number.
func passwords() []string { return []string{"right", "wrong", "null", "empty", "short", "long"} }

func readOnlys() []string { return []string{"no", "yes", "none"} }

// printZxid returns a zxid, or one relative to the last seen as @+1.
func printZxid(z int64, since bool) string {
	if since {
		return fmt.Sprintf("@%+d", z)
	}
	return strconv.FormatInt(z, 10)
}

func printFields(r *wire.Request, since bool) string {
	var b strings.Builder
	for _, f := range fieldsOf(r.Op) {
		if text := printField(r, f, since); text != "" {
			b.WriteString(" " + text)
		}
	}
	return b.String()
}

// printField returns a field, "" if it has its default.
func printField(r *wire.Request, f field, since bool) string {
	switch f {
	case fieldPath:
		if strings.HasPrefix(r.Path, "/") {
			return quote(r.Path)
		}
		return strconv.Quote(r.Path)
	case fieldData:
		if r.Data != nil {
			return "data=" + printData(r.Data)
		}
	case fieldAuth:
		if r.Auth != nil {
			return "auth=" + printData(r.Auth)
		}
	case fieldACL:
		if !slices.Equal(r.ACL, zoo.OpenACL()) {
			return "acl=" + printACL(r.ACL)
		}
	case fieldWatch:
		if r.Watch {
			return "watch"
		}
	case fieldScheme:
		return "scheme=" + quote(r.Scheme)
	case fieldZxid:
		return "zxid=" + printZxid(r.RelativeZxid, since)
	case fieldTTL:
		return "ttl=" + strconv.FormatInt(r.TTL, 10)
	}
	if n, usual := number(r, f); n != nil && *n != usual {
		return fmt.Sprintf("%s=%d", f, *n)
	}
	if list := watchList(r, f); list != nil && len(*list) > 0 {
		return strings.TrimSuffix(string(f), "*") + "=" + printList(*list)
	}
	return ""
}

// number returns where a field of 32 bits is stored, and its default.
func number(r *wire.Request, f field) (*int32, int32) {
	switch f {
	case fieldFlags:
		return &r.Flags, usualFlags(r.Op)
	case fieldVersion:
		return &r.Version, zoo.AnyVersion
	case fieldMode:
		return &r.Mode, wire.WatchPersistent
	case fieldWatcher:
		return &r.Type, wire.WatcherAny
	case fieldAuthType:
		return &r.AuthType, 0
	}
	return nil, 0
}

func usualFlags(op wire.Op) int32 {
	switch op {
	case wire.OpCreateContainer:
		return int32(zoo.Container)
	case wire.OpCreateTTL:
		return int32(zoo.PersistentTTL)
	}
	return int32(zoo.Persistent)
}

// watchList returns where a list of paths of setWatches is stored.
func watchList(r *wire.Request, f field) *[]string {
	switch f {
	case fieldDataList:
		return &r.DataWatches
	case fieldExistList:
		return &r.ExistWatches
	case fieldChildList:
		return &r.ChildWatches
	case fieldPersistent:
		return &r.PersistentWatches
	case fieldRecursive:
		return &r.RecursiveWatches
	}
	return nil
}
