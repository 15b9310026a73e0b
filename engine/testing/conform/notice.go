package conform

import (
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// noticed waits until the server knows of every closed connection, no matter who closed it. Until then it may keep
// their watches, which shows: a check of watches succeeds for anybody's.
func (p *Player) noticed() {
	open := 0
	for _, c := range p.conns {
		if !c.closed {
			open++
		}
	}
	ended := p.dropped || open < p.open
	p.dropped, p.open = false, open
	if !ended {
		return
	}
	for end := time.Now().Add(closing); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if p.connections() <= p.others+1+open {
			return
		}
	}
}

// connections returns the server's number of connections by its four-letter word srvr, without the one that asks. It is
// 0 if the server doesn't reply.
func (p *Player) connections() int {
	c, err := net.DialTimeout("tcp", p.Addr, patience)
	if err != nil {
		return 0
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	_, _ = io.WriteString(c, "srvr")
	answer, _ := io.ReadAll(io.LimitReader(c, 1<<16))
	_, rest, _ := strings.Cut(string(answer), "Connections: ")
	number, _, _ := strings.Cut(rest, "\n")
	n, _ := strconv.Atoi(number)
	return n - 1
}
