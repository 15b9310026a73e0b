package live

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// As much of ZooKeeper's wire protocol as it takes to see what passes on a connection. A frame is four
// bytes of length and a payload; integers are big endian.

// Operation numbers of requests.
const (
	wireCreate     = 1
	wireDelete     = 2
	wireExists     = 3
	wireGet        = 4
	wireSet        = 5
	wireChildren   = 8
	wireSync       = 9
	wirePing       = 11
	wireChildren2  = 12
	wireCheck      = 13
	wireMulti      = 14
	wireSetWatches = 101
	wireClose      = -11
)

// Numbers that stand in for a request's, in frames that answer none.
const (
	xidNotification = -1
	xidPing         = -2
	xidExpire       = 0x7ffffff0 // ours: a closeSession that the client did not send
)

// maxFrame is the longest frame that is taken from a server. Lists of children may well be longer than
// the megabyte that a request may have.
const maxFrame = 64 << 20

var wireOps = map[int32]event.Op{
	wireCreate: event.Create, wireDelete: event.Delete, wireExists: event.Exists, wireGet: event.Get,
	wireSet: event.Set, wireChildren: event.Children, wireChildren2: event.Children, wireSync: event.Sync,
	wirePing: event.Ping, wireMulti: event.Multi, wireSetWatches: event.SetWatches, wireClose: event.CloseSession,
}

// readFrame reads a frame, its length included.
func readFrame(r io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > maxFrame {
		return nil, fmt.Errorf("the server sent a frame of %d bytes, more than %d", n, maxFrame)
	}
	frame := make([]byte, 4+n)
	copy(frame, length[:])
	_, err := io.ReadFull(r, frame[4:])
	return frame, err
}

// decoder takes values from the front of a payload. Once one is missing, all that follow are zero.
type decoder struct {
	b     []byte
	short bool
}

func (d *decoder) take(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.short, d.b = true, nil
		return nil
	}
	head := d.b[:n]
	d.b = d.b[n:]
	return head
}

func (d *decoder) int() int32 {
	if b := d.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (d *decoder) long() int64 {
	if b := d.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

func (d *decoder) bool() bool {
	b := d.take(1)
	return b != nil && b[0] != 0
}

func (d *decoder) bytes() []byte {
	n := d.int()
	if n < 0 { // null
		return nil
	}
	return d.take(int(n))
}

func (d *decoder) string() string { return string(d.bytes()) }

func (d *decoder) strings() []string {
	var list []string
	for n := d.int(); n > 0 && !d.short; n-- {
		list = append(list, d.string())
	}
	return list
}

func (d *decoder) acl() {
	for n := d.int(); n > 0 && !d.short; n-- {
		d.int()
		d.string()
		d.string()
	}
}

const statBytes = 68

// request is one request on its way, and what is known about it.
type request struct {
	xid   int32
	op    event.Op
	path  string
	data  []byte
	mode  zoo.CreateMode
	watch bool
	ops   []zoo.Op   // of a multi
	rearm []watchKey // of a setWatches
	call  *call      // the recipe's, nil if the library or the engine asked
	by    *client
	cause event.Seq
}

// watchKey is one watch on a server, of one connection.
type watchKey struct {
	kind event.Watch
	path string
}

// readRequest understands a request's payload.
func readRequest(b []byte) (*request, bool) {
	d := &decoder{b: b}
	r := &request{xid: d.int()}
	code := d.int()
	r.op = wireOps[code]
	switch code {
	case wireSetWatches:
		d.long()
		for _, kind := range [...]event.Watch{event.DataWatch, event.ExistWatch, event.ChildWatch} {
			for _, path := range d.strings() {
				r.rearm = append(r.rearm, watchKey{kind, path})
			}
		}
	case wireMulti:
		r.ops = d.multi()
		if len(r.ops) > 0 {
			r.path = r.ops[0].Path
		}
	case wireExists, wireGet, wireChildren, wireChildren2:
		r.path = d.string()
		r.watch = d.bool()
	case wireSync:
		r.path = d.string()
	default:
		o := d.change(code)
		r.path, r.data, r.mode = o.Path, o.Data, o.Mode
	}
	return r, !d.short
}

// change reads the body of a request that changes something, or checks.
func (d *decoder) change(code int32) zoo.Op {
	switch code {
	case wireCreate:
		o := zoo.Op{Kind: zoo.OpCreate, Path: d.string(), Data: d.bytes()}
		d.acl()
		o.Mode = zoo.CreateMode(d.int())
		return o
	case wireDelete:
		return zoo.Op{Kind: zoo.OpDelete, Path: d.string(), Version: d.int()}
	case wireSet:
		return zoo.Op{Kind: zoo.OpSet, Path: d.string(), Data: d.bytes(), Version: d.int()}
	case wireCheck:
		return zoo.Op{Kind: zoo.OpCheck, Path: d.string(), Version: d.int()}
	}
	return zoo.Op{}
}

func (d *decoder) multi() []zoo.Op {
	var ops []zoo.Op
	for !d.short {
		code, done := d.int(), d.bool()
		d.int()
		if done {
			break
		}
		ops = append(ops, d.change(code))
	}
	return ops
}

// reply is the answer to a request.
type reply struct {
	xid  int32
	zxid int64
	code zoo.Code
	body *decoder
}

func readReply(b []byte) (reply, bool) {
	d := &decoder{b: b}
	r := reply{xid: d.int(), zxid: d.long(), code: zoo.Code(d.int()), body: d}
	return r, !d.short
}

// multiPaths reads the answer to a multi: the code of the first part that failed, or for each part the
// path that a create made.
func (r reply) multiPaths() ([]string, zoo.Code) {
	var paths []string
	d := r.body
	for !d.short {
		code, done := d.int(), d.bool()
		d.int()
		if done || d.short {
			break
		}
		path := ""
		switch code {
		case wireCreate:
			path = d.string()
		case wireSet:
			d.take(statBytes)
		case -1:
			if c := zoo.Code(d.int()); c != zoo.OK {
				return nil, c
			}
		}
		paths = append(paths, path)
	}
	return paths, zoo.OK
}

// welcome is the server's answer to a handshake. A refused session has number 0.
type welcome struct {
	timeoutMS int32
	session   int64
}

func readWelcome(b []byte) (welcome, bool) {
	d := &decoder{b: b}
	d.int()
	w := welcome{timeoutMS: d.int(), session: d.long()}
	return w, !d.short
}

// lastSeen is the last zxid that a handshake's sender has seen.
func lastSeen(hello []byte) int64 {
	d := &decoder{b: hello}
	d.int()
	return d.long()
}

// setRelative makes a setWatches request ask for what changed after zxid. The library sends the zxid that
// it has seen by the time it sends, which a reply on the new connection may have moved on already: a
// change that happened in between would be missed.
func setRelative(payload []byte, zxid int64) {
	if len(payload) >= 16 {
		binary.BigEndian.PutUint64(payload[8:], uint64(zxid))
	}
}

// closeFrame is a request to close the session, under the number xidExpire.
func closeFrame() []byte {
	f := make([]byte, 12)
	code := int32(wireClose)
	binary.BigEndian.PutUint32(f, 8)
	binary.BigEndian.PutUint32(f[4:], xidExpire)
	binary.BigEndian.PutUint32(f[8:], uint32(code))
	return f
}

// readNotification understands a watch event.
func (r reply) notification() zoo.WatchEvent {
	t := r.body.int()
	r.body.int()
	return zoo.WatchEvent{Type: zoo.EventType(t), Path: r.body.string()}
}
