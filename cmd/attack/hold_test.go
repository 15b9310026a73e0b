package attack

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// holding lists attacks that occupy memory and places, and cost little else. All of them stay for the whole time.
var holding = []attack{
	{"pages", openPages},
	{"slow-requests", slowRequests},
	{"unread-runs", unreadRuns},
	{"subtrees", subtrees},
	{"connections", connections},
	{"unread-lists", unreadLists},
	{"unread-events", unreadEvents},
	{"half-frames", halfFrames},
}

// kept is how long attackers keep their resources before they start over. The server ends most of them sooner.
const kept = 10 * time.Second

// sessionTimeout is the server's shortest session timeout.
const sessionTimeout = 4 * time.Second

// longSession returns the timeout of silent sessions that must last. A rehearsal is over sooner.
func (a *attacker) longSession() time.Duration {
	return max(sessionTimeout, time.Duration(a.scale*float64(2*kept)))
}

// openPages keeps two thousand pages open, a quarter of them from one address.
func openPages(ctx context.Context, a *attacker, t *tally) {
	n := a.size(2000)
	start(n, 400, kept, func(i int) {
		if i < n/4 {
			i = 0
		}
		c, err := t.from(i).socket(ctx, a.pages)
		for ; t.count(err); _, _, err = c.Read(ctx) {
		}
	})
}

// slowRequests keeps two thousand connections that are silent, fall silent, or send a byte at a time.
func slowRequests(ctx context.Context, a *attacker, t *tally) {
	host := strings.TrimPrefix(a.pages, "http://")
	says := []string{
		"", "GET /static/app.css HTTP/1.1\r\nHost: " + host + "\r\n\r\n", "GET / HTTP/1.1\r\nHost: " + host + "\r\nX-",
		"POST / HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 1000000\r\n\r\n",
	}
	start(a.size(2000), 400, kept, func(i int) {
		c, err := t.from(i).dial(ctx, "tcp", host)
		if !t.count(err) {
			return
		}
		defer c.Close()
		for text := says[i%len(says)]; err == nil; time.Sleep(2 * time.Second) {
			if _, err = io.WriteString(c, text); i%len(says) > 1 {
				text = "a"
			} else if text = ""; err == nil { // nothing more: wait for the server to close
				_, err = io.Copy(io.Discard, c)
				return
			}
		}
	})
}

// unreadRuns keeps two hundred pages that stop reading in the middle of the longest runs.
func unreadRuns(ctx context.Context, a *attacker, t *tally) {
	start(a.size(200), 20, kept, func(i int) {
		c, err := t.from(i).socket(ctx, a.pages)
		if err == nil {
			defer c.CloseNow()
			err = c.Write(ctx, websocket.MessageText, a.longRun(9000+i%8))
		}
		t.count(err)
		for n := 0; n < 2 && err == nil; n++ { // the run's description, and its first events
			_, _, err = c.Read(ctx)
		}
		time.Sleep(kept)
	})
}

// longRun opens the longest allowed run, a different one for each seed.
func (a *attacker) longRun(seed int) []byte {
	return fmt.Appendf(nil, `{"do":"open","query":"recipe=children-lock&clients=%d&seed=%d"}`, max(3, a.size(1000)), seed)
}

// subtrees observes thirty-two subtrees each of the Zoo and of the cluster, twice the limit.
func subtrees(ctx context.Context, a *attacker, t *tally) {
	start(max(2, a.size(64)), 20, kept, func(i int) {
		c, err := t.from(i).socket(ctx, a.pages)
		if err == nil {
			defer c.CloseNow()
			err = c.Write(ctx, websocket.MessageText,
				fmt.Appendf(nil, `{"do":"%s","path":"/attack-%d"}`, []string{"zoo", "observe"}[i%2], i))
		}
		if t.count(err) {
			drain(ctx, c, kept)
		}
	})
}

// drain reads for a while, and returns the number of refusals.
func drain(ctx context.Context, c *websocket.Conn, d time.Duration) (refused int) {
	inner, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for {
		kind, text, err := c.Read(inner)
		if err != nil {
			return refused
		}
		if kind == websocket.MessageText && strings.HasPrefix(string(text), `{"say":"error"`) {
			refused++
		}
	}
}

// connections opens thousands of connections to the ZooKeeper inside from sixty addresses. They are silent, have sent
// half a greeting, or have announced a megabyte.
func connections(ctx context.Context, a *attacker, t *tally) {
	hello := wire.AppendFrame(nil, &wire.ConnectRequest{TimeoutMS: 4000, Password: make([]byte, wire.PasswordBytes)})
	says := [][]byte{nil, hello[:len(hello)-1], append(binary.BigEndian.AppendUint32(nil, wire.MaxFrame), 0)}
	start(a.size(2400), 400, kept, func(i int) {
		c, err := from{t.net, byte(1 + i%60)}.dial(ctx, "tcp", a.zookeeper)
		if !t.count(err) {
			return
		}
		defer c.Close()
		_, _ = c.Write(says[i%len(says)])
		_, _ = io.Copy(io.Discard, c) // until the server closes
	})
}

// root is the znode below which attackers work.
const root = "/attack"

// owner opens a session, creates root, and passes the session to do. It starts over when the session ends.
func (a *attacker) owner(ctx context.Context, t *tally, do func(p *peer.Peer) error) {
	start(1, 1, time.Second, func(int) {
		p, err := from{t.net, 100}.session(ctx, a.zookeeper, a.longSession())
		if err == nil {
			defer p.Close()
			_, _, err = p.Do(create(root, nil, zoo.Persistent)) // it may exist
		}
		if t.count(err) {
			t.count(do(p))
		}
	})
}

// unreadLists makes fifty sessions ask twenty times for a list of two hundred thousand children, and read nothing.
func unreadLists(ctx context.Context, a *attacker, t *tally) {
	wide := root + "/wide"
	go a.owner(ctx, t, func(p *peer.Peer) error {
		_, _, err := p.Do(create(wide, nil, zoo.Persistent)) // it may exist
		if err == nil {
			err = many(p, a.size(200_000), func(i int) wire.Request {
				return create(fmt.Sprintf("%s/%060d", wide, i), nil, zoo.Ephemeral)
			})
		}
		for ; err == nil; err = p.Ping() {
			time.Sleep(a.longSession() / 4)
		}
		return err
	})
	start(a.size(50), 20, time.Second, func(i int) {
		p, err := t.from(i).session(ctx, a.zookeeper, a.longSession())
		if err == nil {
			defer p.Abort()
		}
		for n := 0; n < 20 && err == nil; n++ {
			err = p.Send(wire.Request{Op: wire.OpGetChildren, Path: wide})
		}
		t.count(err)
		time.Sleep(kept)
	})
}

// unreadEvents makes two hundred sessions watch a znode that always changes, and read nothing.
func unreadEvents(ctx context.Context, a *attacker, t *tally) {
	busy := root + "/" + strings.Repeat("e", 900)
	go a.owner(ctx, t, func(p *peer.Peer) error {
		_, _, err := p.Do(create(busy, nil, zoo.Ephemeral))
		for err == nil {
			err = many(p, a.size(300), func(int) wire.Request {
				return wire.Request{Op: wire.OpSetData, Path: busy, Version: -1}
			})
			time.Sleep(time.Second / 2)
		}
		return err
	})
	start(a.size(200), 40, time.Second, func(i int) {
		p, err := t.from(i).session(ctx, a.zookeeper, a.longSession())
		if err == nil {
			defer p.Abort()
			_, _, err = p.Do(wire.Request{Op: wire.OpAddWatch, Path: busy, Mode: wire.WatchPersistentRecursive})
		}
		t.count(err)
		time.Sleep(kept)
	})
}

// halfFrames makes four hundred sessions send half of a one-megabyte frame.
func halfFrames(ctx context.Context, a *attacker, t *tally) {
	half := append(binary.BigEndian.AppendUint32(nil, wire.MaxFrame), make([]byte, wire.MaxFrame/2)...)
	start(a.size(400), 40, time.Second, func(i int) {
		p, err := t.from(i).session(ctx, a.zookeeper, a.longSession())
		if t.count(err) {
			defer p.Abort()
			send(p.Conn(), half)
			time.Sleep(kept)
		}
	})
}

// send sends what the server accepts within a second.
func send(c net.Conn, text []byte) {
	_ = c.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = c.Write(text)
}

func number(i int) string { return strconv.FormatInt(int64(i), 36) }
