package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

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
	failed map[string]string // why each server could not be reached, since the last connection
	many   int               // servers
	lost   bool              // its session has expired, and its mark with it

	acl []zk.ACL // of what the run makes; set when its root is made
}

// deskTimeout is what the desk asks for: the shorter, the sooner a crashed server's runs can be removed.
const deskTimeout = 6 * time.Second

// closeLimit bounds the removal of a run, also from a server that is only just coming back.
const closeLimit = time.Minute

// dialDesk connects and waits until that is done. tell, if not nil, is told when the servers come into
// reach and go out of it; told, if not nil, is given every watch event.
func dialDesk(ctx context.Context, servers []string, tell func(up bool, text string), told func(zk.Event)) (*desk, error) {
	d := &desk{change: make(chan struct{}), tell: tell, watch: told, failed: map[string]string{}, many: len(servers)}
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
				return fmt.Errorf("%s: %w", d.told, context.Cause(ctx))
			}
			return context.Cause(ctx)
		}
	}
}

func (d *desk) dial(network, addr string, timeout time.Duration) (net.Conn, error) {
	conn, err := net.DialTimeout(network, addr, timeout)
	if err != nil {
		d.fail(addr, reason(err))
		return nil, err
	}
	return &prompt{Conn: conn}, nil
}

// fail notes that a server cannot be reached. It is told once none can.
func (d *desk) fail(addr, why string) {
	d.mu.Lock()
	d.failed[addr] = addr + ": " + why
	all := slices.Sorted(maps.Values(d.failed))
	d.mu.Unlock()
	if len(all) >= d.many {
		d.set(false, strings.Join(all, "; "))
	}
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
		d.set(false, e.Server+": "+d.parted())
	}
}

// parted is what it means that the library has hung up.
func (d *desk) parted() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.up {
		return "the connection is lost"
	}
	return "it takes connections, but gives no session; perhaps it has no quorum, or is no ZooKeeper"
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
	if up {
		d.told = ""
		clear(d.failed)
	}
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

// errAbandoned says that a run was given up while its server was away.
var errAbandoned = errors.New("another server took the run for dead and removes it: for a while none of its sessions was alive")

// keepMark makes the server's mark again if the desk's session has expired, and the mark with it. A sweep that takes
// the run for dead changes the holder's data in one transaction with its having no live session, and the mark is made
// in one with its not having changed: whichever comes first keeps the other from it.
func (d *desk) keepMark(root string) error {
	if !d.setLost(false) {
		return nil
	}
	_, err := d.zk.Multi(
		&zk.CheckVersionRequest{Path: holder(root), Version: 0},
		&zk.CreateRequest{Path: marker(root, serverMark), Acl: d.acl, Flags: zk.FlagEphemeral},
	)
	switch codeOf(err) {
	case zoo.OK:
		return nil
	case zoo.ErrNoNode, zoo.ErrBadVersion:
		d.setLost(true)
		return errAbandoned
	case zoo.ErrNodeExists:
		_, stat, err := d.zk.Exists(marker(root, serverMark))
		if err == nil && stat.EphemeralOwner == d.zk.SessionID() { // an answer was lost
			return nil
		}
	}
	d.setLost(true)
	return nil
}

// close disconnects, without telling anybody.
func (d *desk) close() {
	d.mu.Lock()
	d.tell = nil
	d.mu.Unlock()
	d.zk.Close()
}

// leave removes the run and disconnects. What cannot be removed now is left for Sweep, what is not the run's for
// good: report is told of that.
func (d *desk) leave(root string, report func(Leavings)) error {
	defer d.close()
	var left Leavings
	defer func() { left.tell(report) }()
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	for {
		err := d.wait(ctx)
		if err == nil {
			err = d.keepMark(root)
		}
		if err == nil {
			err = removeRun(d.zk, root, &left)
		}
		if err == nil || errors.Is(err, errAbandoned) { // then who has taken it over removes it
			return nil
		}
		if !passing(err) || ctx.Err() != nil {
			return stays(err)
		}
	}
}
