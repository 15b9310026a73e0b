package embed

import "github.com/zkviz/zkviz/engine/zoo"

// stats is what the four-letter words tell, under the server's lock.
type stats struct {
	tally    tally
	sizes    figures[int64] // of replies, in bytes
	bytes    int64          // received
	greeted  int64          // handshakes
	rejected int64          // connections, for there being too many, or too many of one address
	silent   int64          // connections that ended without a handshake in time
	large    int64          // frames that were too long, and requests whose replies would be
	noAuth   int64          // clients that did not show who they are
	fired    [zoo.NodeChildrenChanged + 1]int64
	kept     int64 // zxid of the last snapshot
	saved    int64 // snapshots
}
