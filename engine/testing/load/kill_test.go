package load

import (
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// victim is a session whose connection will be dropped.
type victim struct {
	path  string    // its ephemeral znode
	asked time.Time // just before its last request
	heard time.Time // just after the answer
}

// bounds says how long at least and at most ephemeral znodes outlived their sessions' last requests. The server
// received those between asked and heard: least counts from asked, and most from heard.
type bounds struct{ least, most time.Duration }

// kill opens sessions, drops their connections at different times, and waits until their ephemeral znodes are gone.
func kill(addr string, n int, timeout, within time.Duration) (b bounds, err error) {
	watcher, err := peer.Dial(addr, wire.ConnectRequest{TimeoutMS: int32(time.Hour.Milliseconds())})
	if err != nil {
		return b, err
	}
	defer watcher.Close()
	watcher.Timeout = within
	watch := wire.Request{Op: wire.OpAddWatch, Path: doom, Mode: wire.WatchPersistentRecursive}
	if err := made(watcher.Do(watch)); err != nil {
		return b, err
	}
	victims := make(map[string]victim, n)
	for i := range n {
		v, err := die(addr, fmt.Sprintf("%s/v-%05d", doom, i), timeout)
		if err != nil {
			return b, fmt.Errorf("connection %d to kill: %w", i, err)
		}
		victims[v.path] = v
		time.Sleep(timeout / time.Duration(4*n)) // so that they end at different points of the server's tick
	}
	b = bounds{least: time.Hour}
	for left := n; left > 0; {
		m, err := watcher.Recv()
		if err != nil {
			return b, fmt.Errorf("%d of %d ephemeral znodes are left: %w", left, n, err)
		}
		v, ok := victims[m.Notification.Path]
		if !m.IsNotification || !ok || m.Notification.Type != int32(zoo.NodeDeleted) {
			continue
		}
		b.least, b.most = min(b.least, time.Since(v.asked)), max(b.most, time.Since(v.heard))
		left--
	}
	return b, nil
}

// die opens a session, creates its znode, and drops the connection.
func die(addr, path string, timeout time.Duration) (victim, error) {
	p, err := peer.Dial(addr, wire.ConnectRequest{TimeoutMS: int32(timeout.Milliseconds())})
	if err != nil {
		return victim{}, err
	}
	defer p.Abort()
	v := victim{path: path, asked: time.Now()}
	err = ephemeral(p, path)
	v.heard = time.Now()
	return v, err
}
