package conform

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Round is what was done at once, and what came of it: lines that begin with the name of a connection.
type Round struct {
	Steps []Step
	Lines []string
}

// Player plays scripts against one server, one after the other.
type Player struct {
	Addr string
	// Patience is how long the server may take over one answer, a minute if it is 0. What it does not say by
	// then, it will not say.
	Patience time.Duration

	watch    *conn // a connection of its own, to see how far the server has got
	show     show
	conns    map[string]*conn
	sessions map[string]held
	opened   []held
	zxid     int64 // the highest of an answer
	asked    int64 // the same, of answers that a script asked for
	others   int   // connections that are not the player's
	dropped  bool  // connections, which the server may not have noticed
}

// held is what is needed to take a session up again.
type held struct {
	id       int64
	password []byte
	openings int // how many sessions were opened under this name
}

// NewPlayer connects to a server. Close ends it.
func NewPlayer(addr string) (*Player, error) {
	p := &Player{Addr: addr}
	p.forget()
	c, err := dial(addr)
	if err != nil {
		return nil, err
	}
	p.watch = c
	if _, err := c.shake(&wire.ConnectRequest{TimeoutMS: DefaultTimeout, HasReadOnly: true}); err != nil {
		c.abandon()
		return nil, err
	}
	p.others = p.connections() - 1
	return p, nil
}

// Close drops the player's own connection. Its session stays behind.
func (p *Player) Close() { p.watch.abandon() }

func (p *Player) forget() {
	p.conns = map[string]*conn{}
	p.sessions, p.opened = map[string]held{}, nil
	p.show = show{clock: clock{map[int64]int64{}}, sessions: map[int64]string{}}
	p.zxid, p.asked = 0, 0
}

// Play carries out a script. The error says that the server cannot be talked to at all; all else is
// in the rounds. At the end every connection is dropped.
func (p *Player) Play(s Script) ([]Round, error) {
	p.forget()
	defer p.tidy()
	var all []Round
	for _, steps := range s.rounds() {
		lines, err := p.round(steps)
		if err != nil {
			return append(all, Round{steps, []string{"the server is gone"}}), err
		}
		all = append(all, Round{steps, lines})
	}
	return all, nil
}

func (p *Player) round(steps []Step) ([]string, error) {
	if err := p.do(steps); err != nil {
		return nil, err
	}
	p.noticed()
	p.settle()
	return p.collect(slices.ContainsFunc(steps, func(s Step) bool { return s.ends() })), nil
}

func (p *Player) do(steps []Step) error {
	if last := len(steps) - 1; last > 0 && steps[last].Kind == Await {
		if err := p.do(steps[:last]); err != nil {
			return err
		}
		return p.await(steps[last].N)
	}
	s := &steps[0]
	switch s.Kind {
	case Ask:
		p.ask(steps)
	case Raw, Frame, Stream:
		p.bytes(s)
	case Drop:
		p.drop(s.Conn)
	case Connect:
		return p.connect(s)
	case Shake:
		return p.shakeBytes(s)
	case Expire, Starve:
		return p.expire(s)
	case Await:
		return p.await(s.N)
	}
	return nil
}

// ask sends all steps at once and waits for their answers.
func (p *Player) ask(steps []Step) {
	c := p.conn(steps[0].Conn)
	for i := range steps {
		r := steps[i].Req
		if steps[i].Since {
			r.RelativeZxid += p.zxid
		}
		c.queue(&r)
	}
	p.send(c)
}

func (p *Player) bytes(s *Step) {
	c := p.conn(s.Conn)
	switch s.Kind {
	case Raw:
		c.queueRaw(s.Req.Xid, s.Req.Op, s.Bytes)
	case Frame:
		c.queueFrame(s.Bytes)
	case Stream:
		c.out = append(c.out, s.Bytes...)
	}
	p.send(c)
	if s.Kind != Raw {
		c.hearEnd()
	}
}

func (p *Player) send(c *conn) {
	if c.closed {
		c.say("not connected")
		c.waiting, c.out = c.waiting[:0], c.out[:0]
		return
	}
	c.flush()
	p.hear(c)
}

// hear reads until every request of the connection is answered.
func (p *Player) hear(c *conn) {
	for len(c.waiting) > 0 {
		frame := c.next()
		if frame == nil {
			return
		}
		if line := p.frame(c, frame); line != "" {
			c.lines = append(c.lines, line)
		}
		if c.doomed {
			c.hearEnd()
			return
		}
	}
}

// last reports whether the server closes the connection after an answer. A ping in the meantime might be
// answered, or not.
func last(r *wire.Response) bool {
	switch r.Code {
	case zoo.ErrUnimplemented:
		return r.Zxid == -1
	case zoo.ErrAuthFailed:
		return true
	case zoo.OK:
		return r.Op == wire.OpCloseSession
	}
	return false
}

// frame is the line for a frame that came.
func (p *Player) frame(c *conn, frame []byte) string {
	if wire.IsNotification(frame) {
		var n wire.Notification
		if err := wire.DecodeNotification(frame, &n); err != nil {
			return fmt.Sprintf("event that cannot be read: %x", frame)
		}
		return p.show.event(&n, len(frame))
	}
	asked := c.answered(frame)
	if asked.op == wire.OpCreateSession && len(frame) == 37 {
		return "answered as to a handshake"
	}
	var r wire.Response
	if err := wire.DecodeResponse(frame, asked.op, &r); err != nil {
		return fmt.Sprintf("answer to %v that cannot be read: %x", asked.op, frame)
	}
	p.zxid = max(p.zxid, r.Zxid)
	if asked.settling && r.Code == zoo.OK && len(frame) == 16 && r.Xid == wire.XidPing {
		c.settled = r.Zxid
		return ""
	}
	p.asked = max(p.asked, r.Zxid)
	c.doomed = last(&r)
	line := p.show.response(&r, len(frame))
	if r.Xid != asked.xid {
		line += fmt.Sprintf(" xid=%d-for-%d", r.Xid, asked.xid)
	}
	if asked.raw && r.Code == zoo.OK {
		line += fmt.Sprintf(" (%s)", asked.op)
	}
	return line
}

// answered takes the request that a frame answers off the list. Those before it that got no answer are noted.
func (c *conn) answered(frame []byte) sent {
	xid, ok := frameXid(frame)
	for i, s := range c.waiting {
		if ok && s.xid == xid {
			for _, s := range c.waiting[:i] {
				c.say("no answer to %v", s.op)
			}
			c.waiting = append(c.waiting[:0], c.waiting[i+1:]...)
			return s
		}
	}
	s := c.waiting[0]
	c.waiting = append(c.waiting[:0], c.waiting[1:]...)
	return s
}

func frameXid(frame []byte) (int32, bool) {
	if len(frame) < 4 {
		return 0, false
	}
	return int32(frame[0])<<24 | int32(frame[1])<<16 | int32(frame[2])<<8 | int32(frame[3]), true
}

// conn is the connection of a name, which may be none.
func (p *Player) conn(name string) *conn {
	c, ok := p.conns[name]
	if !ok {
		c = &conn{name: name, closed: true, net: noConn{}}
		p.conns[name] = c
	}
	return c
}

func (p *Player) drop(name string) {
	c := p.conn(name)
	if !c.closed {
		c.abandon()
		p.dropped = true
	}
}

// settle pings every connection, so that all that the round has caused has come in.
func (p *Player) settle() {
	for _, c := range p.conns {
		if !c.closed {
			c.queue(&wire.Request{Xid: wire.XidPing, Op: wire.OpPing})
			c.waiting[len(c.waiting)-1].settling = true
			c.flush()
		}
	}
	for _, c := range p.conns {
		p.hear(c)
	}
}

// collect takes the lines of all connections, by their names, and the zxid that their pings were answered
// with.
func (p *Player) collect(sorted bool) []string {
	var all []string
	var zxids []int64
	for _, name := range slices.Sorted(maps.Keys(p.conns)) {
		c := p.conns[name]
		if sorted {
			sortEvents(c.lines)
		}
		for _, line := range c.lines {
			all = append(all, name+" "+line)
		}
		c.lines = c.lines[:0]
		if !c.closed && !slices.Contains(zxids, c.settled) {
			zxids = append(zxids, c.settled)
		}
	}
	for _, zxid := range zxids { // one, unless the server is confused
		all = append(all, fmt.Sprintf("zxid=%d", zxid))
	}
	return all
}

// sortEvents sorts each run of events.
func sortEvents(lines []string) {
	for i := 0; i < len(lines); {
		end := i
		for end < len(lines) && strings.HasPrefix(lines[end], "event ") {
			end++
		}
		slices.Sort(lines[i:end])
		i = end + 1
	}
}

// await waits until the server has applied n transactions more than any answer has told of.
func (p *Player) await(n int) error {
	return p.awaitZxid(p.asked + int64(n))
}

var errStuck = errors.New("the server did not get any further")

func (p *Player) awaitZxid(zxid int64) error {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		got, err := p.ping()
		if err != nil {
			return err
		}
		if got >= zxid {
			return nil
		}
	}
	p.conn("zz").say("waited in vain for zxid %d", zxid)
	return nil
}

// ping asks the server how far it has got.
func (p *Player) ping() (int64, error) {
	c := p.watch
	c.queue(&wire.Request{Xid: wire.XidPing, Op: wire.OpPing})
	c.flush()
	frame := c.next()
	var r wire.Response
	if frame == nil || wire.DecodeResponse(frame, wire.OpPing, &r) != nil {
		return 0, fmt.Errorf("%s: %w", p.Addr, errStuck)
	}
	c.waiting = c.waiting[:0]
	return r.Zxid, nil
}
