package server

import (
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// containers tells when to look for containers and znodes with a TTL to delete, and keeps those that were found.
type containers struct {
	every time.Duration
	next  time.Duration // time of the next check
	due   []znode.Txn   // deletions that the last check found and that remain to be done
}

// plan schedules the next check at the next multiple of the interval.
func (k *containers) plan(now time.Duration) { k.next = (now/k.every + 1) * k.every }
