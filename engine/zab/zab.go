// Package zab is ZooKeeper's atomic broadcast as one server of an ensemble runs it: fast leader election, discovery,
// synchronisation, broadcast, observers.
//
// It is pure. A Node has no clock, no socket, no disk and no goroutine: its host tells it what has happened and what
// time it is, and carries out the list of effects that the Node answers with, in their order. Each effect is a point at
// which a crash can fall, so what a server writes to its disk is never hidden in what it says. What transactions mean
// is the host's to know.
//
//	n := zab.New(cfg, &disk)
//	n.Start(now)
//	for _, e := range n.Take() { … }   // send, write, deliver
//	n.Step(now, from, message)         // and so on: Hear, Dialled, Closed, Synced, Propose, and Wake at n.Deadline()
//
// The protocol is that of Apache ZooKeeper 3.8, with the order of steps at NEWLEADER that later versions have made
// safe. See Junqueira, Reed and Serafini, "Zab: High-performance broadcast for primary-backup systems" (DSN 2011).
package zab

import (
	"fmt"
	"time"
)

// ID is a server of the ensemble, from 1.
type ID int8

// MaxServers bounds an ensemble, voters and observers together.
const MaxServers = 9

// Epoch is a leader's term. No two leaders ever have the same.
type Epoch uint32

// Zxid is the number of a transaction: its epoch, and which of that epoch it is.
type Zxid int64

// MaxCounter is the last transaction of an epoch. A leader that has come to it resigns.
const MaxCounter = 1<<32 - 1

// ZxidOf is the counter-th transaction of an epoch; with counter 0 it stands for the epoch itself.
func ZxidOf(e Epoch, counter uint32) Zxid { return Zxid(e)<<32 | Zxid(counter) }

// Epoch is the upper half of z.
func (z Zxid) Epoch() Epoch { return Epoch(z >> 32) }

// Counter is the lower half of z.
func (z Zxid) Counter() uint32 { return uint32(z) }

// String writes z as ZooKeeper's logs do.
func (z Zxid) String() string { return fmt.Sprintf("%#x", int64(z)) }

// Txn is what is agreed on. Nobody changes it once it was proposed.
type Txn interface {
	// Digest tells transactions apart, for those who look for two under one zxid.
	Digest() uint64
	// Bytes is about how much room it takes in a log.
	Bytes() int
}

// Entry is a transaction in its place.
type Entry struct {
	Zxid Zxid
	Txn  Txn
}

// State is what a server takes itself for.
type State uint8

// The states.
const (
	Looking State = iota
	Following
	Leading
	Observing
)

// Phase is how far a server is with its leader.
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
	InitLimit int           // how many ticks a quorum or a learner may take to begin; 10
	SyncLimit int           // how many ticks a server may be silent; DefaultSyncLimit

	// Window is how many of the last transactions a leader has at hand for learners that lack them; 500.
	Window int
	// SnapshotFactor is how large the files of the log may be that begin behind what a learner has, as a part of the
	// snapshot that it would get instead; 0.33. Negative for never.
	SnapshotFactor float64

	Flaws Flaws // for lessons and exploration
}

// DefaultSyncLimit is that of ZooKeeper's samples.
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

// initTime is how long a quorum or a learner may take to begin.
func (c *Config) initTime() time.Duration { return time.Duration(c.InitLimit) * c.Tick }

// syncTime is how long a server may be silent.
func (c *Config) syncTime() time.Duration { return time.Duration(c.SyncLimit) * c.Tick }
