package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// noZooKeeper replaces ZooKeeper in a run that has none.
type noZooKeeper struct{}

func (noZooKeeper) createParents([]string)        {}
func (noZooKeeper) whenReady(do func())           { do() }
func (noZooKeeper) connect(*client) *conn         { panic("this run has no ZooKeeper") }
func (noZooKeeper) pause(*client) time.Duration   { return 0 }
func (noZooKeeper) slack() time.Duration          { return 0 }
func (noZooKeeper) receive(*action)               {}
func (noZooKeeper) tick()                         {}
func (noZooKeeper) step(*action)                  {}
func (noZooKeeper) checkSessions(zab.ID)          {}
func (noZooKeeper) linkHealed(*client, zab.ID)    {}
func (noZooKeeper) stop(time.Duration, event.Seq) {}
func (noZooKeeper) start()                        {}
func (noZooKeeper) inject(fault.Fault)            {}
func (noZooKeeper) expire(int64, event.Seq)       {}
func (noZooKeeper) lost(*conn, event.Seq)         {}
func (noZooKeeper) sessions() int                 { return 0 }
func (noZooKeeper) quiet() bool                   { return true }
func (noZooKeeper) healthy() bool                 { return true }
