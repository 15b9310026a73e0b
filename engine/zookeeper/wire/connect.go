package wire

// Append implements Record.
func (r *ConnectRequest) Append(dst []byte) []byte {
	dst = putInt(dst, r.ProtocolVersion)
	dst = putLong(dst, r.LastZxidSeen)
	dst = putInt(dst, r.TimeoutMS)
	dst = putLong(dst, r.Session)
	dst = putBuffer(dst, r.Password)
	if r.HasReadOnly {
		dst = putBool(dst, r.ReadOnly)
	}
	return dst
}

// DecodeConnectRequest decodes a connection's first frame. It can only fail with ErrFrame.
func DecodeConnectRequest(frame []byte, into *ConnectRequest) error {
	t := taker{b: frame}
	*into = ConnectRequest{
		ProtocolVersion: t.int(), LastZxidSeen: t.long(), TimeoutMS: t.int(), Session: t.long(),
		Password: t.buffer(nil),
	}
	into.HasReadOnly = len(t.b) > 0
	into.ReadOnly = into.HasReadOnly && t.bool()
	return t.frameError()
}

// Append implements Record.
func (r *ConnectResponse) Append(dst []byte) []byte {
	dst = putInt(dst, r.ProtocolVersion)
	dst = putInt(dst, r.TimeoutMS)
	dst = putLong(dst, r.Session)
	dst = putBuffer(dst, r.Password)
	if r.HasReadOnly {
		dst = putBool(dst, r.ReadOnly)
	}
	return dst
}

// DecodeConnectResponse decodes the first frame from a server. It can only fail with ErrFrame.
func DecodeConnectResponse(frame []byte, into *ConnectResponse) error {
	t := taker{b: frame}
	*into = ConnectResponse{
		ProtocolVersion: t.int(), TimeoutMS: t.int(), Session: t.long(), Password: t.buffer(nil),
	}
	into.HasReadOnly = len(t.b) > 0
	into.ReadOnly = into.HasReadOnly && t.bool()
	return t.frameError()
}

func (t *taker) frameError() error {
	if t.bad {
		return ErrFrame
	}
	return nil
}
