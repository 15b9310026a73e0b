package conform

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Round is steps that were sent together, and the results: lines that begin with the name of a connection.
type Round struct {
	Steps []Step
	Lines []string
}

// Player plays scripts on one server, one after the other.
type Player struct {
	Addr string
	// Patience is the timeout of one reply, 0 for a minute. The player takes a later reply for none.
	Patience time.Duration

	watch    *conn // the player's own connection, which shows the server's zxid
	show     show
	conns    map[string]*conn
	sessions map[string]held
	opened   []held
	zxid     int64 // the highest in a reply
	asked    int64 // the same, in replies to requests of a script
	others   int   // connections of others
	open     int   // connections of the script, when last counted
	dropped  bool  // whether connections were closed, which the server may not have noticed
}

// held is what is needed to reconnect to a session.
type held struct {
	id       int64
	password []byte
	openings int // how many sessions were opened under this name
}

// NewPlayer connects to a server, until Close.
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

// Close closes the player's own connection. Its session stays.
func (p *Player) Close() { p.watch.abandon() }

func (p *Player) forget() {
	p.conns = map[string]*conn{}
	p.sessions, p.opened = map[string]held{}, nil
	p.show = show{clock: clock{}, sessions: map[int64]string{}}
	p.zxid, p.asked, p.open = 0, 0, 0
}

// Play plays a script. It returns an error if the server can't be reached at all; all else is in the rounds. At the end
// it closes every connection.
func (p *Player) Play(s Script) ([]Round, error) {
	p.forget()
	if _, err := p.ping(); err != nil { // which also keeps the player's own session alive
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
	p.noticed() // of connections that only the pings have shown to be closed
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

// conn returns the connection of a name, a closed one if there is none.
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
