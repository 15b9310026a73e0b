// Package systems defines everything that a recipe may see: its process, and the systems that it talks to.
package systems

import (
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// World is a process and what it can reach.
type World interface {
	program.Process

	// ZooKeeper returns the process's session, in a run that has a ZooKeeper.
	ZooKeeper() zoo.Client
	// Connect makes a separate connection to the node with this number, from 1; its first call opens it. The nodes
	// of the run's systems are numbered as in event.Node. If one node is the primary of the others, the connection
	// goes to the primary at that time.
	Connect(node int) remote.Conn

	// Beside runs main concurrently with the process's program, as a timer thread does, until it returns or stop is
	// called. If it returns an error, the program's current or next Sleep or Work returns that.
	Beside(main func(World) error) (stop func())
}

// Program is what a host runs in a process.
type Program struct {
	Role  string        // producer, consumer, or empty
	Start time.Duration // when it starts, after the run's start
	// SessionTimeout is the timeout that its session requests; 0 for the run's.
	SessionTimeout time.Duration
	// After is the process, from 1, that must be gone first, for whatever reason: this one is the same program,
	// started again. 0 for none.
	After int
	Main  func(World) error
}

// OnZooKeeper returns the main function of a program that only talks to ZooKeeper.
func OnZooKeeper(main func(zoo.Client) error) func(World) error {
	return func(w World) error { return main(w.ZooKeeper()) }
}
