package sessions

import (
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/observe/inquiry"
)

// connection is a client's connection, as its server reports it.
type connection struct {
	client      string // host:port
	session     int64
	last        string        // the last operation, such as PING
	cxid        int64         // of the last request that wasn't a ping
	listed      bool          // that request listed children, as far as it was seen
	established int64         // ms since 1970 by the server's clock
	timeout     time.Duration // of the session
	answered    time.Duration // when the last answer was sent, on the server's clock; see clock
	took        time.Duration // how long that answer took
	outstanding int           // requests
	received    int64         // packets
	sent        int64
}

// listing is the last operation of a client that has listed a znode's children.
const listing = "GETC"

// see records whether the client's last request listed children, by what it did before: servers report a ping as the
// last operation, but not as the last request.
func (c *connection) see(was connection) {
	same := was.client == c.client && was.established == c.established && was.cxid == c.cxid
	c.listed = c.last == listing || c.last == ping && same && was.listed
}

// ping is the operation that a heartbeat is.
const ping = "PING"

// heard returns when the client's last answered request arrived, on the server's clock.
func (c *connection) heard() time.Duration { return c.answered - c.took }

// parseCons parses the answer to cons: a line for each connection. It skips those without a session.
func parseCons(text string) (all []connection) {
	for line := range strings.Lines(text) {
		if c, ok := parseConnection(strings.TrimSpace(line)); ok && len(all) < MaxSessions {
			all = append(all, c)
		}
	}
	return all
}

// parseConnection parses a line like
// /127.0.0.1:48640[1](queued=0,recved=10,sent=10,sid=0x100027b8ad20000,lop=EXIS,est=1795677896207,to=10000,lresp=41).
// A name may precede the slash. No value contains a comma.
func parseConnection(line string) (c connection, ok bool) {
	at, fields, ok := strings.Cut(strings.TrimSuffix(line, ")"), "](")
	if !ok {
		return c, false
	}
	if i := strings.LastIndexByte(at, '['); i >= 0 {
		at = at[:i]
	}
	c.client = address(at)
	for field := range strings.SplitSeq(fields, ",") {
		name, value, _ := strings.Cut(field, "=")
		c.set(name, value)
	}
	return c, c.session != 0
}

// address returns host:port from Java's text for a socket's address: name/1.2.3.4:5, or /1.2.3.4:5.
func address(s string) string {
	if name, number, ok := strings.Cut(s, "/"); ok {
		if s = number; name != "" && strings.Contains(number, "<unresolved>") {
			s = name
		}
	}
	return inquiry.Plain(s, maxAddress)
}

// set sets a field. It treats an invalid number as 0.
func (c *connection) set(name, value string) {
	switch name {
	case "sid":
		c.session, _ = parseSession(value)
	case "lop":
		c.last = inquiry.Plain(value, maxOperation)
	case "lcxid":
		c.cxid, _ = parseSession(value)
	case "est":
		c.established = whole(value)
	case "to":
		c.timeout = milliseconds(whole(value))
	case "lresp":
		c.answered = milliseconds(whole(value))
	case "llat":
		c.took = milliseconds(whole(value))
	case "queued":
		c.outstanding = count(whole(value))
	case "recved":
		c.received = whole(value)
	case "sent":
		c.sent = whole(value)
	}
}

// parseSession parses a session id: 0x and hexadecimal digits.
func parseSession(s string) (int64, bool) {
	hex, ok := strings.CutPrefix(s, "0x")
	id, err := strconv.ParseUint(hex, 16, 64)
	return int64(id), ok && err == nil
}

// whole parses a non-negative number. It returns 0 for an invalid one.
func whole(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// mostMS bounds a server's values in ms, so that sums of a few still fit into a duration.
const mostMS = int64(1) << 40

func milliseconds(n int64) time.Duration {
	return time.Duration(min(max(n, 0), mostMS)) * time.Millisecond
}

func count(n int64) int { return int(min(max(n, 0), 1<<30)) }
