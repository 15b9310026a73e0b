package wire

// Append implements Record. It writes nil lists of strings as empty ones, but a nil ACL as null.
func (r *Request) Append(dst []byte) []byte {
	dst = putInt(dst, r.Xid)
	dst = putInt(dst, int32(r.Op))
	return r.appendBody(dst)
}

func (r *Request) appendBody(dst []byte) []byte {
	switch r.Op {
	case OpCreate, OpCreate2, OpCreateContainer, OpCreateTTL:
		dst = putBuffer(putString(dst, r.Path), r.Data)
		dst = putInt(putACL(dst, r.ACL), r.Flags)
		if r.Op == OpCreateTTL {
			dst = putLong(dst, r.TTL)
		}
	case OpDelete, OpCheck:
		dst = putInt(putString(dst, r.Path), r.Version)
	case OpExists, OpGetData, OpGetChildren, OpGetChildren2:
		dst = putBool(putString(dst, r.Path), r.Watch)
	case OpSetData:
		dst = putInt(putBuffer(putString(dst, r.Path), r.Data), r.Version)
	case OpSetACL:
		dst = putInt(putACL(putString(dst, r.Path), r.ACL), r.Version)
	case OpGetACL, OpSync, OpAllChildrenNumber, OpGetEphemerals:
		dst = putString(dst, r.Path)
	case OpCheckWatches, OpRemoveWatches:
		dst = putInt(putString(dst, r.Path), r.Type)
	case OpAddWatch:
		dst = putInt(putString(dst, r.Path), r.Mode)
	case OpSetWatches, OpSetWatches2:
		dst = r.appendWatches(dst)
	case OpAuth:
		dst = putBuffer(putString(putInt(dst, r.AuthType), r.Scheme), r.Auth)
	case OpSASL:
		dst = putBuffer(dst, r.Auth)
	case OpMulti, OpMultiRead:
		for i := range r.Ops {
			dst = putMultiHeader(dst, r.Ops[i].Op, -1)
			dst = r.Ops[i].appendPart(dst)
		}
		dst = putMultiEnd(dst)
	case OpReconfig:
		dst = putLong(putString(putString(putString(dst, ""), ""), ""), -1)
	}
	return dst
}

func (r *Request) appendWatches(dst []byte) []byte {
	dst = putLong(dst, r.RelativeZxid)
	dst = putStrings(dst, r.DataWatches)
	dst = putStrings(dst, r.ExistWatches)
	dst = putStrings(dst, r.ChildWatches)
	if r.Op == OpSetWatches2 {
		dst = putStrings(dst, r.PersistentWatches)
		dst = putStrings(dst, r.RecursiveWatches)
	}
	return dst
}

// DecodeRequest decodes a request's payload as a server does, including its conversion of strings: see Text. The error
// is nil, ErrFrame, or ErrMarshalling or ErrUnimplemented with Xid and Op set. It ignores bytes after the body.
//
// It overwrites all of into. Nothing in into aliases frame. Data, Auth, ACL and strings are new each time, so the
// caller may keep them. The lists of watches and Ops are reused for the next frame.
func DecodeRequest(frame []byte, into *Request) error { return decodeRequest(taker{b: frame}, into) }

// DecodeSent does the same as DecodeRequest for an observer between client and server: strings stay as sent.
func DecodeSent(frame []byte, into *Request) error {
	return decodeRequest(taker{b: frame, asSent: true}, into)
}

func decodeRequest(t taker, into *Request) error {
	*into = Request{
		Xid: t.int(), Op: Op(t.int()), Path: into.Path,
		DataWatches: into.DataWatches[:0], ExistWatches: into.ExistWatches[:0],
		ChildWatches:      into.ChildWatches[:0],
		PersistentWatches: into.PersistentWatches[:0], RecursiveWatches: into.RecursiveWatches[:0],
		Ops: into.Ops[:0],
	}
	if t.bad {
		return ErrFrame
	}
	if !into.Op.sent() {
		return ErrUnimplemented
	}
	into.decodeBody(&t)
	switch {
	case !t.bad:
		return nil
	case into.Op == OpAuth || into.Op == OpSASL:
		return ErrFrame
	}
	return ErrMarshalling
}

// sent reports whether a server accepts the number as a request's. ZooKeeper also accepts its two internal operations
// from clients.
func (o Op) sent() bool { return o != OpNotification && o != OpError && opNames[o] != "" }

func (r *Request) decodeBody(t *taker) {
	old := r.Path
	r.Path = ""
	switch r.Op {
	case OpCreate, OpCreate2, OpCreateContainer, OpCreateTTL:
		r.Path, r.Data, r.ACL, r.Flags = t.given(old), t.buffer(nil), t.acl(), t.int()
		if r.Op == OpCreateTTL {
			r.TTL = t.long()
		}
	case OpDelete, OpCheck:
		r.Path, r.Version = t.given(old), t.int()
	case OpExists, OpGetData, OpGetChildren, OpGetChildren2:
		r.Path, r.Watch = t.given(old), t.bool()
	case OpSetData:
		r.Path, r.Data, r.Version = t.text(old), t.buffer(nil), t.int()
	case OpSetACL:
		r.Path, r.ACL, r.Version = t.text(old), t.acl(), t.int()
	case OpGetACL, OpAllChildrenNumber:
		r.Path = t.given(old)
	case OpSync, OpGetEphemerals: // these may be null
		r.Path = t.text(old)
	case OpCheckWatches:
		r.Path, r.Type = t.given(old), t.int()
	case OpRemoveWatches:
		r.Path, r.Type = t.text(old), t.int()
	case OpAddWatch:
		r.Path, r.Mode = t.text(old), t.int()
	case OpSetWatches, OpSetWatches2:
		r.decodeWatches(t)
	case OpAuth:
		r.AuthType, r.Scheme, r.Auth = t.int(), t.text(""), t.buffer(nil)
	case OpSASL:
		r.Auth = t.buffer(nil)
		t.bad = t.bad || r.Auth == nil
	case OpMulti, OpMultiRead:
		r.decodeOps(t)
	case OpReconfig:
		_, _, _, _ = t.raw(), t.raw(), t.raw(), t.long()
	case OpCreateSession: // internal to servers: a client has no use for it
		t.bad = true
	}
}

func (r *Request) decodeWatches(t *taker) {
	r.RelativeZxid = t.long()
	r.DataWatches = t.texts(r.DataWatches)
	r.ExistWatches = t.texts(r.ExistWatches)
	r.ChildWatches = t.texts(r.ChildWatches)
	if r.Op == OpSetWatches2 {
		r.PersistentWatches = t.texts(r.PersistentWatches)
		r.RecursiveWatches = t.texts(r.RecursiveWatches)
	}
}
