// Package systems is all that a recipe may see: the process that it runs in, and the systems that it talks to.
package systems

import (
	"time"

	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/remote"
	"github.com/zkviz/zkviz/engine/zoo"
)

// World is a process and what it can reach.
type World interface {
	program.Process

	// ZooKeeper is the process's session, in a run that has a ZooKeeper.
	ZooKeeper() zoo.Client
	// Connect makes a connection of its own to the node with this number, from 1, which the first call on it opens. The
	// nodes of the run's systems are numbered as in event.Node. Where one node is the primary of the others, it goes to
	// whichever is that by then.
	Connect(node int) remote.Conn

	// Beside runs main beside the process's program, as a timer's thread does, until it returns or stop is called. If it
	// returns an error, the Sleep or Work of the program that is under way returns that, or the next one.
	Beside(main func(World) error) (stop func())
}

// Program is what a host runs in a process of its own.
type Program struct {
	Role  string        // producer, consumer, or empty
	Start time.Duration // when it starts, after the run's start
	// SessionTimeout is what its session asks for; 0 for that of the run.
	SessionTimeout time.Duration
	// After is the process, from 1, that has to be gone first, by whatever end: this one is the same program, started
	// again. 0 for none.
	After int
	Main  func(World) error
}

// OnZooKeeper is the main function of a program that talks to ZooKeeper alone.
func OnZooKeeper(main func(zoo.Client) error) func(World) error {
	return func(w World) error { return main(w.ZooKeeper()) }
}
