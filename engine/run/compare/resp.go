package compare

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// commands is a Sink that adds up the bytes of Redis commands, answers and messages on the connections, as traffic
// does for ZooKeeper. Lost answers don't count.
type commands struct {
	Bytes int64

	asked map[[2]event.Actor][]string // the last command of each client to each node
	frame []byte                      // the last that was measured
}

// Append adds the next event.
func (c *commands) Append(e event.Event) {
	switch {
	case e.Kind == event.OpSent && e.Op == event.Command:
		args := redis.Command(e.Text)
		c.asked[[2]event.Actor{e.Actor, e.Peer}] = args
		c.frame = resp.AppendCommand(c.frame[:0], args)
	case e.Kind == event.OpDone && e.Op == event.Command && e.Code >= 0:
		c.frame = resp.Append(c.frame[:0], redis.Answer(c.asked[[2]event.Actor{e.Actor, e.Peer}], e.Text, e.Code > 0))
	case e.Kind == event.PushDelivered:
		v, _ := redis.Message(e.Path, e.Text).Body.(resp.Value)
		c.frame = resp.Append(c.frame[:0], v)
	default:
		return
	}
	c.Bytes += int64(len(c.frame))
}
