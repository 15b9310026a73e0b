package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// nobody replaces ZooKeeper in a run that has none.
type nobody struct{}

func (nobody) begin([]string)                {}
func (nobody) whenReady(do func())           { do() }
func (nobody) connect(*client) *conn         { panic("this run has no ZooKeeper") }
func (nobody) pause(*client) time.Duration   { return 0 }
func (nobody) slack() time.Duration          { return 0 }
func (nobody) receive(action)                {}
func (nobody) ticks()                        {}
func (nobody) step(action)                   {}
func (nobody) look(zab.ID)                   {}
func (nobody) mended(*client, zab.ID)        {}
func (nobody) stop(time.Duration, event.Seq) {}
func (nobody) startAgain()                   {}
func (nobody) inject(fault.Fault, event.Seq) {}
func (nobody) expire(int64, event.Seq)       {}
func (nobody) sessions() int                 { return 0 }
func (nobody) quiet() bool                   { return true }
func (nobody) well() bool                    { return true }
