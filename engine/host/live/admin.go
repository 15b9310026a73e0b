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

// adminConn is the run's own connection. It creates and removes the run's root, and watches the sessions of clients
// that don't answer. The log shows only the znodes that it creates.
type adminConn struct {
	*admin.Conn
	access access.Dialer
	acl    []zk.ACL // for znodes that the run creates; set when its root is created
}

// dialAdmin connects and waits until the connection is up. It calls tell, if not nil, when the servers come into
// reach and go out of it.
func dialAdmin(ctx context.Context, servers []string, by access.Dialer, tell func(up bool, text string)) (
	*adminConn, error) {
	conn, err := admin.Dial(ctx, admin.Config{Servers: servers, Access: by, Tell: tell})
	if err != nil {
		return nil, err
	}
	return &adminConn{Conn: conn, access: by}, nil
}

// closeLimit bounds the time to remove a run, even if the server is only just coming back.
const closeLimit = time.Minute

// errAbandoned reports that another server took over the run while this one was away.
var errAbandoned = errors.New("another server considers this run dead and is removing it: for a while, none of its " +
	"sessions was alive")

// keepMark recreates the server's marker if the session of its connection has expired and the marker with it. A
// sweep that considers the run dead changes the holder's data in one transaction that requires no live session.
// keepMark creates the marker in one that requires unchanged data. So whichever comes first keeps out the other.
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
		if err == nil && stat.EphemeralOwner == d.ZK.SessionID() { // its reply was lost
			return nil
		}
	}
	d.SetExpired(true)
	return nil
}

// catchUp syncs the connection with everything that any server has told a client so far. It returns false if no
// server answered.
func (d *adminConn) catchUp(root string) bool {
	_, err := d.ZK.Sync(root)
	return !admin.Passing(err)
}

// leave removes the run and disconnects. What cannot be removed now is left to Sweep. Foreign znodes are left for
// good and go to report.
func (d *adminConn) leave(root string, report func(Leftovers)) error {
	defer d.Close()
	var left Leftovers
	defer func() { left.reportTo(report) }()
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
		if err == nil || errors.Is(err, errAbandoned) { // the server that took it over removes it
			return nil
		}
		if !admin.Passing(err) || ctx.Err() != nil {
			return withOutlook(err)
		}
	}
}
