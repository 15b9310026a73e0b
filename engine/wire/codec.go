package wire

// AppendFrame puts a record at the end of dst, its length first.
func AppendFrame(dst []byte, r Record) []byte {
	start := len(dst)
	dst = r.Append(append(dst, 0, 0, 0, 0))
	n := len(dst) - start - 4
	dst[start], dst[start+1], dst[start+2], dst[start+3] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	return dst
}

func (r *ConnectRequest) Append(dst []byte) []byte  { panic("to come") }
func (r *ConnectResponse) Append(dst []byte) []byte { panic("to come") }
func (r *Request) Append(dst []byte) []byte         { panic("to come") }
func (r *Response) Append(dst []byte) []byte        { panic("to come") }
func (n *Notification) Append(dst []byte) []byte    { panic("to come") }

// DecodeConnectRequest reads a connection's first frame. The only error is ErrFrame.
func DecodeConnectRequest(frame []byte, into *ConnectRequest) error { panic("to come") }

// DecodeConnectResponse reads the first frame from a server. The only error is ErrFrame.
func DecodeConnectResponse(frame []byte, into *ConnectResponse) error { panic("to come") }

// DecodeRequest reads a request's payload. The error is nil, ErrFrame, or ErrMarshalling or
// ErrUnimplemented with Xid and Op set.
//
// All of into is overwritten. Nothing in it aliases frame. Data, Auth, ACL and strings are new each time, so
// whoever gets them may keep them; the lists of watches and Ops are used again for the next frame.
func DecodeRequest(frame []byte, into *Request) error { panic("to come") }

// DecodeResponse reads the payload of an answer to a request of operation op. The only error is ErrFrame.
// Slices of into are used again; nothing in it aliases frame.
func DecodeResponse(frame []byte, op Op, into *Response) error { panic("to come") }

// IsNotification reports whether a server's frame is a Notification rather than a Response.
func IsNotification(frame []byte) bool { panic("to come") }

// DecodeNotification reads a notification's payload. The only error is ErrFrame.
func DecodeNotification(frame []byte, into *Notification) error { panic("to come") }
