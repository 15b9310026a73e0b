package live

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// desk is the engine's own connection: it makes and removes the run's root, and looks after the sessions
// of clients that do not answer. Nothing that it does is in the log but the znodes that it makes.
type desk struct {
	zk *zk.Conn

	mu     sync.Mutex
	up     bool
	change chan struct{} // closed when up changes
	tell   func(up bool, text string)
	watch  func(zk.Event)
	told   string
	lost   bool // its session has expired, and its mark with it
}

// deskTimeout is what the desk asks for: the shorter, the sooner a crashed server's runs can be removed.
const deskTimeout = 6 * time.Second

// closeLimit bounds the removal of a run.
const closeLimit = 20 * time.Second

// dialDesk connects and waits until that is done. tell, if not nil, is told when the servers come into
// reach and go out of it; told, if not nil, is given every watch event.
func dialDesk(ctx context.Context, servers []string, tell func(up bool, text string), told func(zk.Event)) (*desk, error) {
	d := &desk{change: make(chan struct{}), tell: tell, watch: told}
	conn, _, err := zk.Connect(servers, deskTimeout, zk.WithDialer(d.dial), zk.WithHostProvider(&hosts{}),
		silent(), zk.WithLogInfo(false), zk.WithEventCallback(d.event), zk.WithMaxBufferSize(maxFrame))
	if err != nil {
		return nil, err
	}
	d.zk = conn
	if err := d.wait(ctx); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// wait waits until there is a connection.
func (d *desk) wait(ctx context.Context) error {
	for {
		d.mu.Lock()
		up, change := d.up, d.change
		d.mu.Unlock()
		if up {
			return nil
		}
		select {
		case <-change:
		case <-ctx.Done():
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.told != "" {
				return fmt.Errorf("%s: %w", d.told, ctx.Err())
			}
			return ctx.Err()
		}
	}
}

func (d *desk) dial(network, addr string, timeout time.Duration) (net.Conn, error) {
	conn, err := net.DialTimeout(network, addr, timeout)
	if err != nil {
		d.set(false, addr+": "+reason(err))
		return nil, err
	}
	return &prompt{Conn: conn}, nil
}

// prompt is a connection whose server must answer the handshake promptly. The library would wait for
// several times the session's timeout, also for a server that is only just starting.
type prompt struct {
	net.Conn
	greeted bool
}

// handshakeLimit is how long a server may take to answer a handshake.
const handshakeLimit = 2 * time.Second

func (p *prompt) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	p.greeted = p.greeted || n > 0
	return n, err
}

func (p *prompt) SetReadDeadline(t time.Time) error {
	if limit := time.Now().Add(handshakeLimit); !p.greeted && t.After(limit) {
		t = limit
	}
	return p.Conn.SetReadDeadline(t)
}

// reason is the end of a chain of errors, which says what is the matter.
func reason(err error) string {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok || u.Unwrap() == nil {
			return err.Error()
		}
		err = u.Unwrap()
	}
}

// event is called by the library for whatever happens.
func (d *desk) event(e zk.Event) {
	if e.Type != zk.EventSession {
		if d.watch != nil {
			d.watch(e)
		}
		return
	}
	switch e.State {
	case zk.StateHasSession:
		d.set(true, e.Server)
	case zk.StateExpired:
		d.setLost(true)
	case zk.StateDisconnected:
		d.set(false, e.Server+": the connection is lost")
	}
}

// set tells of a change, once.
func (d *desk) set(up bool, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.up != up {
		d.up = up
		close(d.change)
		d.change = make(chan struct{})
	} else if up || d.told != "" {
		return
	}
	d.told = text
	if d.tell != nil {
		d.tell(up, text)
	}
}

func (d *desk) setLost(lost bool) (was bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	was, d.lost = d.lost, lost
	return was
}

// close disconnects, without telling anybody.
func (d *desk) close() {
	d.mu.Lock()
	d.tell = nil
	d.mu.Unlock()
	d.zk.Close()
}

// leave removes the run and disconnects. What cannot be removed now is left for Sweep.
func (d *desk) leave(root string) error {
	defer d.close()
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	for {
		err := d.wait(ctx)
		if err == nil {
			err = removeRun(d.zk, root)
		}
		if err == nil {
			return nil
		}
		if codeOf(err) != zoo.ErrConnectionLoss || ctx.Err() != nil {
			return fmt.Errorf("%w; %w", err, errLeft)
		}
	}
}

// setUp prepares the run: it connects, and makes the znodes that are there before anyone starts.
func (w *world) setUp(ctx context.Context) (*desk, error) {
	first := true
	d, err := dialDesk(ctx, w.cfg.Servers, func(up bool, text string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch {
		case !up:
			w.emit(event.Event{Kind: event.Disconnected, Text: event.Preview([]byte(text))})
			first = false
		case !first:
			w.emit(event.Event{Kind: event.Reconnected, Text: event.Preview([]byte(text))})
		}
		first = false
	}, nil)
	if err != nil {
		return nil, err
	}
	if err := w.prepare(ctx, d); err != nil {
		return d, err
	}
	return d, nil
}

func (w *world) prepare(ctx context.Context, d *desk) error {
	root := w.cfg.Root
	var above []string
	for at := parentOf(root); at != "/"; at = parentOf(at) {
		above = append([]string{at}, above...)
	}
	for {
		err := d.makeRoot(above, root)
		for _, p := range w.cfg.Parents {
			if err == nil && p != root {
				err = d.makeAll(root, p)
			}
		}
		if code := codeOf(err); code == zoo.ErrConnectionLoss || code == zoo.ErrNoNode { // or another run has just removed an empty parent
			if err := d.wait(ctx); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		return w.logParents(d, append(append(above, root), w.cfg.Parents...))
	}
}

// makeRoot makes the root of a run, all that belongs to it at once.
func (d *desk) makeRoot(above []string, root string) error {
	for _, p := range above {
		if err := d.make(p, madeByUs); err != nil {
			return err
		}
	}
	acl := zk.WorldACL(zk.PermAll)
	_, err := d.zk.Multi(
		&zk.CreateRequest{Path: holder(root), Acl: acl},
		&zk.CreateRequest{Path: marker(root, serverMark), Acl: acl, Flags: zk.FlagEphemeral},
		&zk.CreateRequest{Path: root, Acl: acl},
	)
	if codeOf(err) == zoo.ErrNodeExists { // an answer was lost
		return nil
	}
	return wrap("create", root, err)
}

// makeAll makes path and what is missing between it and root.
func (d *desk) makeAll(root, path string) error {
	if path == root {
		return nil
	}
	if err := d.makeAll(root, parentOf(path)); err != nil {
		return err
	}
	return d.make(path, "")
}

func (d *desk) make(path, data string) error {
	_, err := d.zk.Create(path, []byte(data), 0, zk.WorldACL(zk.PermAll))
	if codeOf(err) == zoo.ErrNodeExists {
		return nil
	}
	return wrap("create", path, err)
}

func wrap(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &zoo.Error{Op: op, Path: path, Code: codeOf(err)}
}

// logParents puts the znodes into the log that are there before anyone starts.
func (w *world) logParents(d *desk, paths []string) error {
	seen := map[string]bool{}
	for _, p := range paths {
		if seen[p] {
			continue
		}
		seen[p] = true
		data, stat, err := d.zk.Get(p)
		if err != nil {
			return wrap("get", p, err)
		}
		w.locked(func() { w.created(p, zoo.Op{Data: data}, nil, stat.Czxid, 0) })
	}
	return nil
}

// lookEvery is how often the sessions are looked at that may be over.
const lookEvery = 100 * time.Millisecond

// look finds out which of the sessions that are silent have ended. It takes mu.
func (w *world) look(d *desk) {
	var silent []*client
	w.locked(func() {
		w.settleNotices()
		for _, c := range w.clients {
			if c.mayBeOver() {
				silent = append(silent, c)
			}
		}
	})
	for _, c := range silent {
		there, _, err := d.zk.Exists(marker(w.cfg.Root, c.name))
		if err != nil {
			return
		}
		if there && !c.overdue() {
			continue
		}
		_, stat, err := d.zk.Exists(holder(w.cfg.Root))
		if err != nil {
			return
		}
		w.locked(func() {
			kind := event.SessionExpired
			if c.closing {
				kind = event.SessionClosed // only the answer was lost
			}
			w.sessionEnds(c, kind, stat.Pzxid, c.silenced)
		})
	}
}

// mayBeOver reports that the server may have ended the session without anybody being told.
func (c *client) mayBeOver() bool {
	if c.session == 0 || c.gone || !c.marked && !c.ended {
		return false
	}
	return c.ended || c.paused || c.cuts > 0 || c.link == nil
}

// overdue reports that the session must be over, whatever its mark says. It takes mu.
func (c *client) overdue() bool {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.ended && time.Since(c.endedAt) > 2*c.timeout+10*time.Second
}

// remark makes the server's mark again after its session has expired.
func (d *desk) remark(root string) {
	if !d.setLost(false) {
		return
	}
	_, err := d.zk.Create(marker(root, serverMark), nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
	if code := codeOf(err); code != zoo.OK && code != zoo.ErrNoNode {
		d.setLost(true)
	}
}

// askOwed finds out whether the watch events that should have come are on their way at all: what has not
// come before the answer to a request will not come.
func (w *world) askOwed() {
	for _, c := range w.clients {
		var owed []*armed
		if c.link != nil && !c.ended && !c.paused {
			for _, a := range c.link.armed {
				if a.owed {
					owed = append(owed, a)
				}
			}
		}
		if len(owed) == 0 {
			continue
		}
		go func() {
			if _, err := c.zk.Sync("/"); err != nil {
				return
			}
			w.locked(func() {
				for _, a := range owed {
					if a.owed {
						a.owed = false
						c.arrivedOne()
					}
				}
			})
		}()
	}
}
