package conform

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// connect opens a new connection under a name, with a handshake.
func (p *Player) connect(s *Step) error {
	c, err := p.fresh(s.Conn)
	if err != nil {
		return err
	}
	req := p.request(s)
	welcome, err := c.shake(&req)
	if err != nil {
		return nil // the lines have the error
	}
	p.welcome(c, welcome, s.Hello.Session == "")
	return nil
}

// fresh replaces the connection of a name. The lines of the old one stay.
func (p *Player) fresh(name string) (*conn, error) {
	old := p.conn(name)
	p.drop(name)
	c, err := dial(p.Addr)
	if err != nil {
		return nil, err
	}
	c.name, c.lines = name, old.lines
	if p.Patience > 0 {
		c.patience = p.Patience
	}
	p.conns[name] = c
	return c, nil
}

// welcome records the reply to a handshake. After a refusal it waits for the server to close the connection.
func (p *Player) welcome(c *conn, w *wire.ConnectResponse, isNew bool) {
	if w.Session != 0 && isNew {
		p.hold(c.name, w)
	}
	c.say("%s", p.showWelcome(w))
	if w.Session == 0 {
		c.hearEnd()
	}
}

func (p *Player) hold(name string, w *wire.ConnectResponse) {
	h := p.sessions[name]
	h.id, h.password = w.Session, bytes.Clone(w.Password)
	h.openings++
	p.sessions[name] = h
	p.opened = append(p.opened, h)
	if h.openings > 1 {
		name = fmt.Sprintf("%s.%d", name, h.openings)
	}
	p.show.sessions[w.Session] = name
}

func (p *Player) showWelcome(w *wire.ConnectResponse) string {
	if w.Session == 0 {
		line := fmt.Sprintf("refused timeout=%d password=%s", w.TimeoutMS,
			strings.TrimRight(hex.EncodeToString(w.Password), "0"))
		return line + versionAndReadOnly(w)
	}
	line := fmt.Sprintf("welcome %s timeout=%d", p.show.session(w.Session), w.TimeoutMS)
	if len(w.Password) != wire.PasswordBytes {
		line += fmt.Sprintf(" password-bytes=%d", len(w.Password))
	}
	return line + versionAndReadOnly(w)
}

func versionAndReadOnly(w *wire.ConnectResponse) string {
	line := ""
	if w.ProtocolVersion != 0 {
		line += fmt.Sprintf(" version=%d", w.ProtocolVersion)
	}
	if w.HasReadOnly {
		line += fmt.Sprintf(" readonly=%v", w.ReadOnly)
	}
	return line
}

// request returns the handshake of a step.
func (p *Player) request(s *Step) wire.ConnectRequest {
	h := &s.Hello
	r := wire.ConnectRequest{
		ProtocolVersion: h.Version, LastZxidSeen: h.Seen, TimeoutMS: h.Timeout,
		ReadOnly: h.ReadOnly == MayReadOnly, HasReadOnly: h.ReadOnly != NoReadOnly,
	}
	if s.Since {
		r.LastZxidSeen += p.zxid
	}
	known := held{password: make([]byte, wire.PasswordBytes)}
	switch got, ok := p.sessions[h.Session]; {
	case h.Session == "unknown", h.Session != "" && !ok:
		known.id = 0x12_3456_789a_bcde
	case h.Session != "":
		known = got
	}
	r.Session, r.Password = known.id, password(known.password, h.Password)
	return r
}

func password(right []byte, kind Password) []byte {
	switch kind {
	case WrongPassword:
		wrong := bytes.Clone(right)
		wrong[0] ^= 0xff
		return wrong
	case NullPassword:
		return nil
	case EmptyPassword:
		return []byte{}
	case ShortPassword:
		return right[:len(right)-1]
	case LongPassword:
		return append(bytes.Clone(right), 0)
	}
	return right
}

// shake sends a handshake and reads the reply. An error is recorded already.
func (c *conn) shake(r *wire.ConnectRequest) (*wire.ConnectResponse, error) {
	c.out = wire.AppendFrame(c.out, r)
	c.flush()
	return c.greeted()
}

func (c *conn) greeted() (*wire.ConnectResponse, error) {
	frame := c.next()
	if frame == nil {
		return nil, fmt.Errorf("no answer to a handshake")
	}
	w := new(wire.ConnectResponse)
	if err := wire.DecodeConnectResponse(frame, w); err != nil {
		c.end(fmt.Sprintf("answer to a handshake that cannot be read: %x", frame))
		return nil, err
	}
	return w, nil
}

// shakeBytes sends any bytes as the first frame of a new connection, and nothing after that.
func (p *Player) shakeBytes(s *Step) error {
	c, err := p.fresh(s.Conn)
	if err != nil {
		return err
	}
	c.queueFrame(s.Bytes)
	c.flush()
	w, err := c.greeted()
	if err != nil {
		return nil
	}
	_, known := p.show.sessions[w.Session]
	p.welcome(c, w, !known)
	return nil
}

// expire reconnects to a session with a short timeout and lets it expire.
func (p *Player) expire(step *Step) error {
	copied := *step
	s := &copied
	if s.Hello.Session == "" {
		s.Hello.Session = s.Conn
	}
	before, err := p.ping()
	if err != nil {
		return err
	}
	if err := p.connect(s); err != nil {
		return err
	}
	c := p.conn(s.Conn)
	if c.closed && !slices.Equal(c.lines, []string{"closed"}) {
		return nil // refused
	}
	if s.Kind == Expire {
		p.drop(s.Conn)
	}
	for c.next() != nil {
	}
	// Whether the reply was in time, and what came before the session ended, depends on chance.
	c.lines = []string{"expired"}
	return p.awaitZxid(before + 1)
}

// noConn stands for a connection that was never opened.
type noConn struct{ net.Conn }

func (noConn) Close() error                     { return nil }
func (noConn) SetReadDeadline(time.Time) error  { return nil }
func (noConn) SetWriteDeadline(time.Time) error { return nil }
