package conform

import (
	"encoding/binary"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// hostile adds bytes that no client would send.
func (d *drawing) hostile(name string) {
	st := d.state[name]
	switch n := d.dice.rng.IntN(40); {
	case n < 30:
		d.damaged(name)
	case n < 34:
		op := pick[wire.Op](d.dice, 0, -1, 10, 23, 99, 108, 1000, -2, -12, 0x7fffffff)
		d.step(Step{Kind: Raw, Conn: name, Req: wire.Request{Op: op}, Bytes: d.dice.garbage(8)})
		st.connected = false
	case n < 36:
		d.step(Step{Kind: Frame, Conn: name, Bytes: d.dice.garbage(7)})
		st.connected = false
	case n < 38:
		length := pick[uint32](d.dice, 0xffffffff, 0x80000000, 0x7fffffff, wire.MaxFrame+1, 0)
		b := binary.BigEndian.AppendUint32(nil, length)
		d.step(Step{Kind: Stream, Conn: name, Bytes: append(b, d.dice.garbage(6)...)})
		st.connected = false
	default:
		d.damagedHello(name)
	}
}

// damaged adds a request whose body is truncated, extended or changed.
func (d *drawing) damaged(name string) {
	var r wire.Request
	before := d.script
	for len(r.Path) == 0 && len(r.Ops) == 0 {
		d.script = nil
		if d.request(name); len(d.script) > 0 {
			r = d.script[0].Req
		}
	}
	d.script = before
	body := r.Append(nil)[8:]
	for range 1 + d.dice.rng.IntN(2) {
		body = d.dice.damage(body)
	}
	d.step(Step{Kind: Raw, Conn: name, Req: wire.Request{Op: r.Op}, Bytes: body})
}

// damagedHello adds a truncated or extended handshake. It keeps its timeout, so that the session doesn't expire.
func (d *drawing) damagedHello(name string) {
	st := d.state[name]
	if st.session { // it might open a second session, which no step would close
		return
	}
	r := wire.ConnectRequest{TimeoutMS: DefaultTimeout, Password: make([]byte, 16), HasReadOnly: true}
	body := r.Append(nil)
	if d.dice.one(3) {
		body = append(body, d.dice.garbage(9)...)
	} else {
		body = body[:d.dice.rng.IntN(len(body))]
	}
	d.step(Step{Kind: Shake, Conn: name, Bytes: body})
	st.connected = len(body) >= 44
	st.session = st.connected
}
