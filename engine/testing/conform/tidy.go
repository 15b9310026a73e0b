package conform

import (
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// tidy closes all that a script has left open: connections and sessions. Otherwise these would expire, or own znodes,
// while another script is played. Both servers see the same requests for it.
func (p *Player) tidy() {
	for name := range p.conns {
		p.drop(name)
	}
	for _, h := range p.opened {
		p.endSession(h)
	}
	p.dropped = true
	p.noticed()
}

func (p *Player) endSession(h held) {
	c, err := dial(p.Addr)
	if err != nil {
		return // the server is gone, as the next script will show
	}
	defer c.abandon()
	w, err := c.shake(&wire.ConnectRequest{TimeoutMS: DefaultTimeout, Session: h.id, Password: h.password,
		HasReadOnly: true})
	if err != nil || w.Session == 0 {
		return
	}
	c.queue(&wire.Request{Op: wire.OpCloseSession})
	c.flush()
	for frame := c.next(); frame != nil && wire.IsNotification(frame); frame = c.next() {
	}
}
