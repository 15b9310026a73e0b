// Package zab implements ZooKeeper's atomic broadcast as one server of an ensemble runs it: fast leader election,
// discovery, synchronisation, broadcast, observers.
//
// It is pure. A Node has no clock, no socket, no disk and no goroutine. Its host reports events and the time to it,
// and carries out the resulting list of effects in order. A crash can fall between any two effects, so no message
// can hide a disk write. Only the host knows what transactions mean.
//
//	n := zab.New(cfg, &disk)
//	n.Start(now)
//	for _, e := range n.Take() { … }   // send, write, deliver
//	n.Step(now, from, message)         // and so on: Hear, Dialled, Closed, Synced, Propose, and Wake at n.Deadline()
//
// The protocol is that of Apache ZooKeeper 3.8, with the safer order of steps at NEWLEADER of later versions. See
// Junqueira, Reed and Serafini, "Zab: High-performance broadcast for primary-backup systems" (DSN 2011).
//
// What servers can get wrong on purpose is in flaw.go.
package zab

import (
	"fmt"
	"time"
)

// ID identifies a server of the ensemble, from 1.
type ID int8

// MaxServers bounds an ensemble, voters and observers together.
const MaxServers = 9

// Epoch is a leader's term. No two leaders ever have the same.
type Epoch uint32

// Zxid is a transaction's number: its epoch, and a counter within that epoch.
type Zxid int64

// MaxCounter is the counter of an epoch's last transaction. A leader that has used it resigns.
const MaxCounter = 1<<32 - 1

// ZxidOf returns the zxid of an epoch's transaction with that counter. Counter 0 stands for the epoch itself.
func ZxidOf(e Epoch, counter uint32) Zxid { return Zxid(e)<<32 | Zxid(counter) }

// Epoch returns the upper half of z.
func (z Zxid) Epoch() Epoch { return Epoch(z >> 32) }

// Counter returns the lower half of z.
func (z Zxid) Counter() uint32 { return uint32(z) }

// String formats z as ZooKeeper's logs do.
func (z Zxid) String() string { return fmt.Sprintf("%#x", int64(z)) }

// Txn is what the servers agree on. It must not change after it was proposed.
type Txn interface {
	// Digest tells transactions apart, so that a checker can find two under one zxid.
	Digest() uint64
	// Bytes returns about how much room the transaction takes in a log.
	Bytes() int
}

// Entry is a transaction with its zxid.
type Entry struct {
	Zxid Zxid
	Txn  Txn
}

// State is the role that a server believes it has.
type State uint8

// The states.
const (
	Looking State = iota
	Following
	Leading
	Observing
)

// Phase is how far a server has come with its leader.
type Phase uint8

// The phases.
const (
	Electing Phase = iota
	Discovery
	Synchronization
	Broadcast
)

var (
	stateNames = [...]string{"looking", "following", "leading", "observing"}
	phaseNames = [...]string{"election", "discovery", "synchronization", "broadcast"}
)

func (s State) String() string { return stateNames[s] }

func (p Phase) String() string { return phaseNames[p] }

// Config is what all servers of an ensemble know from the start.
type Config struct {
	ID        ID
	Voters    []ID // in rising order
	Observers []ID

	Tick      time.Duration // ZooKeeper's tickTime; 2 s
	InitLimit int           // how many ticks a quorum or a learner may take to start; 10
	SyncLimit int           // how many ticks a server may be silent; DefaultSyncLimit

	// Window is how many recent transactions a leader keeps at hand for learners that lack them; 500.
	Window int
	// SnapshotFactor limits the total size of log files sent to a learner, as a fraction of the snapshot that it
	// would get instead; 0.33. A negative value forbids it.
	SnapshotFactor float64

	Flaws Flaws // for lessons and exploration
}

// DefaultSyncLimit is the value in ZooKeeper's sample configuration.
const DefaultSyncLimit = 5

func (c Config) withDefaults() Config {
	if c.Tick <= 0 {
		c.Tick = 2 * time.Second
	}
	if c.InitLimit <= 0 {
		c.InitLimit = 10
	}
	if c.SyncLimit <= 0 {
		c.SyncLimit = DefaultSyncLimit
	}
	if c.Window <= 0 {
		c.Window = 500
	}
	if c.SnapshotFactor == 0 {
		c.SnapshotFactor = 0.33
	}
	return c
}

// initTime returns how long a quorum or a learner may take to start.
func (c *Config) initTime() time.Duration { return time.Duration(c.InitLimit) * c.Tick }

// syncTime returns how long a server may be silent.
func (c *Config) syncTime() time.Duration { return time.Duration(c.SyncLimit) * c.Tick }
