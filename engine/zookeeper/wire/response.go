package wire

import "github.com/zkviz/zkviz/engine/event/zoo"

// Append implements Record.
func (r *Response) Append(dst []byte) []byte {
	dst = r.appendHead(dst)
	if !r.hasBody() {
		return dst
	}
	switch r.Op {
	case OpCreate, OpSync:
		dst = putString(dst, r.Path)
	case OpCreate2, OpCreateContainer, OpCreateTTL:
		dst = putStat(putString(dst, r.Path), &r.Stat)
	case OpExists, OpSetData, OpSetACL:
		dst = putStat(dst, &r.Stat)
	case OpGetData:
		dst = putStat(putBuffer(dst, r.Data), &r.Stat)
	case OpGetChildren, OpGetEphemerals:
		dst = putStrings(dst, r.Children)
	case OpGetChildren2:
		dst = putStat(putStrings(dst, r.Children), &r.Stat)
	case OpGetACL:
		dst = putStat(putACL(dst, r.ACL), &r.Stat)
	case OpAllChildrenNumber:
		dst = putInt(dst, r.Number)
	case OpAddWatch: // oddly, an error code, which is always OK
		dst = putInt(dst, int32(zoo.OK))
	case OpWhoAmI:
		dst = putInt(dst, int32(len(r.Clients)))
		for _, c := range r.Clients {
			dst = putString(putString(dst, c.Scheme), c.User)
		}
	case OpSASL:
		dst = putBuffer(dst, r.Data)
	case OpMulti, OpMultiRead:
		dst = putResults(dst, r.Results)
	}
	return dst
}

func (r *Response) appendHead(dst []byte) []byte {
	return putInt(putLong(putInt(dst, r.Xid), r.Zxid), int32(r.Code))
}

// hasBody reports whether anything follows the header. After an error nothing does, except for a multiRead that ended
// early: there 3.8.0 sends the results so far.
func (r *Response) hasBody() bool {
	return r.Code == zoo.OK || r.Op == OpMultiRead && r.Code == zoo.ErrMarshalling && r.Results != nil
}

// DecodeResponse decodes the payload of an answer to a request with operation op. It can only fail with ErrFrame. It
// reuses slices of into; nothing in into aliases frame.
func DecodeResponse(frame []byte, op Op, into *Response) error {
	t := taker{b: frame, asSent: true}
	old := *into
	*into = Response{
		Op: op, Xid: t.int(), Zxid: t.long(), Code: zoo.Code(t.int()),
		Children: old.Children[:0], Clients: old.Clients[:0], Results: old.Results[:0],
	}
	if t.bad {
		return ErrFrame
	}
	switch {
	case into.Code == zoo.OK:
		into.decodeBody(&t, &old)
	case into.Op == OpMultiRead: // see hasBody
		into.Results = nil
		if into.Code == zoo.ErrMarshalling && len(t.b) > 0 {
			into.Results = t.results([]Result{})
		}
	}
	return t.frameError()
}

func (r *Response) decodeBody(t *taker, old *Response) {
	switch r.Op {
	case OpCreate, OpSync:
		r.Path = t.text(old.Path)
	case OpCreate2, OpCreateContainer, OpCreateTTL:
		r.Path = t.text(old.Path)
		t.stat(&r.Stat)
	case OpExists, OpSetData, OpSetACL:
		t.stat(&r.Stat)
	case OpGetData:
		r.Data = t.buffer(old.Data)
		t.stat(&r.Stat)
	case OpGetChildren, OpGetEphemerals:
		r.Children = t.texts(old.Children)
	case OpGetChildren2:
		r.Children = t.texts(old.Children)
		t.stat(&r.Stat)
	case OpGetACL:
		r.ACL = t.acl()
		t.stat(&r.Stat)
	case OpAllChildrenNumber:
		r.Number = t.int()
	case OpAddWatch:
		t.int()
	case OpWhoAmI:
		n := t.count(8)
		r.Clients = reuse(old.Clients, n)
		for i := 0; i < n && !t.bad; i++ {
			r.Clients = append(r.Clients, ClientInfo{Scheme: t.text(""), User: t.text("")})
		}
	case OpSASL:
		r.Data = t.buffer(old.Data)
	case OpMulti, OpMultiRead:
		r.Results = t.results(old.Results)
	}
}
