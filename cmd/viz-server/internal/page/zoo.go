package page

import (
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// ZooProps is the view of the ZooKeeper inside this program and its clients, or of the clients that use a real one
// through a tap.
type ZooProps struct {
	Frame
	Address string            // address for clients, empty if no ZooKeeper runs here
	Tapped  bool              // the view of a tap
	Servers int               // number of its servers
	Path    string            // the shown subtree
	Queue   string            // the queue that the programs to paste join
	Error   sentence.Sentence // why Path can't be shown
	Most    int               // maximum number of contenders
	Hold    fault.Hold        // how long contenders hold
	Ways    []Way
}

// RedisProps is the view of the Redis inside this program and its clients.
type RedisProps struct {
	Frame
	Address string // address for clients, empty if no Redis runs here
	Ways    []Way
}

// OwnServersProps shows which of zkviz's own servers owns what.
type OwnServersProps struct {
	Frame
	Place string // of the NATS that they share, empty if there is none
}

// Way is one way of joining the queue from a terminal.
type Way struct {
	Name      string // the tool: "Python, kazoo"
	Needs     string // the Debian packages that it requires, or empty
	Elsewhere string // the key of its requirements on other systems, or empty
	Text      string // to paste
	By        bool   // by hand: the reader's client leaves when the reader says so
}
