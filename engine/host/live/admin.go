package live

import (
	"context"
	"errors"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// adminConn is the run's own connection: it makes and removes the run's root, and looks after the sessions of clients
// that do not answer. Nothing that it does is in the log but the znodes that it makes.
type adminConn struct {
	*admin.Conn
	access access.Dialer
	acl    []zk.ACL // of what the run makes; set when its root is made
}

// dialAdmin connects and waits until that is done. tell, if not nil, is told when the servers come into reach and go
// out of it.
func dialAdmin(ctx context.Context, servers []string, by access.Dialer, tell func(up bool, text string)) (
	*adminConn, error) {
	conn, err := admin.Dial(ctx, admin.Config{Servers: servers, Access: by, Tell: tell})
	if err != nil {
		return nil, err
	}
	return &adminConn{Conn: conn, access: by}, nil
}

// closeLimit bounds the removal of a run, also from a server that is only just coming back.
const closeLimit = time.Minute

// errAbandoned says that a run was given up while its server was away.
var errAbandoned = errors.New("another server took this run for dead and is removing it: for a while none of its " +
	"sessions was alive")

// keepMark makes the server's mark again if the session of its connection has expired, and the mark with it. A sweep
// that takes the run for dead changes the holder's data in one transaction with its having no live session, and the
// mark is made in one with its not having changed: whichever comes first keeps the other from it.
func (d *adminConn) keepMark(root string) error {
	if !d.SetExpired(false) {
		return nil
	}
	_, err := d.ZK.Multi(
		&zk.CheckVersionRequest{Path: holder(root), Version: 0},
		&zk.CreateRequest{Path: marker(root, serverMark), Acl: d.acl, Flags: zk.FlagEphemeral},
	)
	switch admin.CodeOf(err) {
	case zoo.OK:
		return nil
	case zoo.ErrNoNode, zoo.ErrBadVersion:
		d.SetExpired(true)
		return errAbandoned
	case zoo.ErrNodeExists:
		_, stat, err := d.ZK.Exists(marker(root, serverMark))
		if err == nil && stat.EphemeralOwner == d.ZK.SessionID() { // an answer was lost
			return nil
		}
	}
	d.SetExpired(true)
	return nil
}

// catchUp has the server that the connection is to learn all that any server has told a client by now. It reports
// false if no server answered.
func (d *adminConn) catchUp(root string) bool {
	_, err := d.ZK.Sync(root)
	return !admin.Passing(err)
}

// leave removes the run and disconnects. What cannot be removed now is left for Sweep, what is not the run's for
// good: report is told of that.
func (d *adminConn) leave(root string, report func(Leavings)) error {
	defer d.Close()
	var left Leavings
	defer func() { left.tell(report) }()
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	for {
		err := d.Wait(ctx)
		if err == nil {
			err = d.keepMark(root)
		}
		if err == nil {
			err = removeRun(d.ZK, root, &left)
		}
		if err == nil || errors.Is(err, errAbandoned) { // then who has taken it over removes it
			return nil
		}
		if !admin.Passing(err) || ctx.Err() != nil {
			return stays(err)
		}
	}
}
