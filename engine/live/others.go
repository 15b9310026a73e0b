package live

import (
	"github.com/zkviz/zkviz/engine/remote"
	"github.com/zkviz/zkviz/engine/systems"
)

// Connect implements systems.World. A run here has a ZooKeeper alone.
func (c *client) Connect(int) remote.Conn { panic("this run has a ZooKeeper alone") }

// Beside implements systems.World. Only programs that talk to other systems need it.
func (c *client) Beside(func(systems.World) error) (stop func()) {
	panic("this run has a ZooKeeper alone")
}
