package embed

import (
	"errors"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// stats holds the counts that the four-letter words show. The server's lock guards it.
type stats struct {
	tally    tally
	sizes    figures[int64] // of replies, in bytes
	bytes    int64          // received
	greeted  int64          // handshakes
	rejected int64          // connections refused because there were too many, or too many from one address
	silent   int64          // connections that ended without a handshake in time
	large    int64          // frames that were too long, and requests with too long a reply
	noAuth   int64          // clients that failed to authenticate
	fired    [zoo.NodeChildrenChanged + 1]int64
	kept     int64 // zxid of the last snapshot
	saved    int64 // snapshots
}

// received counts a frame or a word of n bytes.
func (t *stats) received(c *conn, n int) {
	c.tally.received++
	t.tally.received++
	t.bytes += int64(n) + 4
}

// sent counts a frame.
func (t *stats) sent(c *conn) {
	c.tally.sent++
	t.tally.sent++
}

// ended counts connections that ended badly.
func (t *stats) ended(err error) {
	switch {
	case errors.Is(err, errNoHandshake):
		t.silent++
	case errors.Is(err, wire.ErrFrame):
		t.large++
	}
}
