package conform

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// settle pings every connection, so that all that the round has caused is received.
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

// collect returns the lines of all connections, sorted by name, and the zxid in the replies to their pings.
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
	for _, zxid := range zxids { // only one, unless the server is broken
		all = append(all, fmt.Sprintf("zxid=%d", zxid))
	}
	return all
}

// sortEvents sorts each series of events.
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

// await waits until the server has applied n transactions more than any reply has shown.
func (p *Player) await(n int) error {
	return p.awaitZxid(p.asked + int64(n))
}

var errStuck = errors.New("the server made no progress")

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

// ping returns the server's last zxid.
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
