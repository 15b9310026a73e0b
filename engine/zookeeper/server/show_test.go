package server_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// show formats a reply as a line: the request, its outcome, and the header's zxid and xid where they are of interest.
func (s *script) show(q *wire.Request, r *wire.Response) string {
	if !s.based && r.Zxid > 0 {
		s.base, s.based = r.Zxid-1, true // before it, there was only the session that asks
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v", q.Op)
	if q.Path != "" {
		fmt.Fprintf(&b, " %s", strings.Trim(strconv.Quote(q.Path), `"`))
	}
	fmt.Fprintf(&b, " %s: %v", s.zxid(r.Zxid), r.Code)
	if r.Xid != q.Xid {
		fmt.Fprintf(&b, ", xid %d", r.Xid)
	}
	if r.Code == zoo.OK && (q.Path != "/" || q.Op == wire.OpSync) { // the root, which other scripts change
		b.WriteString(s.body(q.Op, r))
	}
	return b.String()
}

func (s *script) body(op wire.Op, r *wire.Response) string {
	switch op {
	case wire.OpCreate, wire.OpSync:
		return " " + r.Path
	case wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		return " " + r.Path + s.stat(r.Stat)
	case wire.OpExists, wire.OpSetData, wire.OpSetACL:
		return s.stat(r.Stat)
	case wire.OpGetData:
		return " " + data(r.Data) + s.stat(r.Stat)
	case wire.OpGetChildren, wire.OpGetEphemerals:
		return " " + names(r.Children)
	case wire.OpGetChildren2:
		return " " + names(r.Children) + s.stat(r.Stat)
	case wire.OpGetACL:
		return " " + acl(r.ACL) + s.stat(r.Stat)
	case wire.OpAllChildrenNumber:
		return fmt.Sprintf(" %d", r.Number)
	case wire.OpSASL:
		return " " + data(r.Data)
	case wire.OpWhoAmI:
		return fmt.Sprintf(" %v", r.Clients)
	case wire.OpMulti, wire.OpMultiRead:
		return s.results(r.Results)
	}
	return ""
}

func (s *script) results(results []wire.Result) string {
	var b strings.Builder
	for _, p := range results {
		fmt.Fprintf(&b, "\n     %v", p.Op)
		switch p.Op {
		case wire.OpError:
			fmt.Fprintf(&b, " %v", p.Code)
		case wire.OpCreate:
			b.WriteString(" " + p.Path)
		case wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
			b.WriteString(" " + p.Path + s.stat(p.Stat))
		case wire.OpSetData:
			b.WriteString(s.stat(p.Stat))
		case wire.OpGetData:
			b.WriteString(" " + data(p.Data) + s.stat(p.Stat))
		case wire.OpGetChildren:
			b.WriteString(" " + names(p.Children))
		}
	}
	return b.String()
}

// zxid formats a zxid, counted from the start of the script.
func (s *script) zxid(z int64) string {
	switch {
	case z <= 0:
		return fmt.Sprint(z)
	case z <= s.base:
		return "old"
	}
	return fmt.Sprintf("+%d", z-s.base)
}

func (s *script) stat(st zoo.Stat) string {
	text := fmt.Sprintf(" {created %s changed %s children %s, versions %d %d %d, %d bytes, %d children",
		s.zxid(st.Czxid), s.zxid(st.Mzxid), s.zxid(st.Pzxid), st.Version, st.Cversion, st.Aversion, st.DataLength,
		st.NumChildren)
	if st.EphemeralOwner != 0 {
		text += ", owner " + s.names[st.EphemeralOwner]
	}
	return text + "}"
}

func data(b []byte) string {
	if b == nil {
		return "null"
	}
	return fmt.Sprintf("%q", b)
}

// names sorts names, whose order isn't promised.
func names(list []string) string { return fmt.Sprint(slices.Sorted(slices.Values(list))) }

func acl(list []zoo.ACL) string {
	var entries []string
	for _, e := range list {
		letters := ""
		for i, l := range permLetters {
			if e.Perms&(1<<i) != 0 {
				letters += string(l)
			}
		}
		entries = append(entries, fmt.Sprintf("%s@%s:%s", letters, e.Scheme, e.ID))
	}
	return fmt.Sprint(entries)
}
