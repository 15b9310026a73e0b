// Package systems is all that a recipe may see: the process that it runs in, and the systems that it talks to.
package systems

import (
	"time"

	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/zoo"
)

// World is a process and what it can reach.
type World interface {
	program.Process

	// ZooKeeper is the process's session, in a run that has a ZooKeeper.
	ZooKeeper() zoo.Client
}

// Program is what a host runs in a process of its own.
type Program struct {
	Role  string        // producer, consumer, or empty
	Start time.Duration // when it starts, after the run's start
	// After is the process, from 1, that has to be gone first, by whatever end: this one is the same program, started
	// again. 0 for none.
	After int
	Main  func(World) error
}

// OnZooKeeper is the main function of a program that talks to ZooKeeper alone.
func OnZooKeeper(main func(zoo.Client) error) func(World) error {
	return func(w World) error { return main(w.ZooKeeper()) }
}
