package conform

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/wire"
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
	open     int   // connections of the script, when last counted
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
	p.show = show{clock: clock{}, sessions: map[int64]string{}}
	p.zxid, p.asked, p.open = 0, 0, 0
}

// Play carries out a script. The error says that the server cannot be talked to at all; all else is
// in the rounds. At the end every connection is dropped.
func (p *Player) Play(s Script) ([]Round, error) {
	p.forget()
	if _, err := p.ping(); err != nil { // which also keeps the player's own session
		return []Round{{Lines: []string{"the server is gone"}}}, err
	}
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
	p.noticed() // of those that only the pings have shown to be over
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
