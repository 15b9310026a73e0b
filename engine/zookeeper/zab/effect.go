package zab

import "time"

// EffectKind names what a host must do, or what it may report.
type EffectKind uint8

// The effects. Effects marked * block every later effect and every input to the Node until they are done.
const (
	// On the network.

	Notify EffectKind = iota // Notification to To, on the election port; it replaces an older one that is still unsent
	Dial                     // connect to To's quorum port, and report the outcome with Dialled
	Hangup                   // close the connection to To
	Send                     // Message to To, after everything sent to it on this connection
	// On the disk.

	Append      // Entry to the log. The host flushes in batches and reports it with Synced
	Flush       // * everything appended is on the disk
	SetAccepted // * store Epoch, promised to To
	SetCurrent  // * store Epoch, of leader To
	Truncate    // * cut the log after Zxid
	Save        // * Message.Snapshot replaces everything on the disk
	// On the state in the host's memory.

	Load    // Message.Snapshot from To becomes the state
	Reload  // the state becomes what the disk holds, up to its end
	CatchUp // apply the log entries not applied yet, up to the end. They are not committed
	Deliver // Entry is committed: apply it
	Serve   // everything up to Zxid is committed; from here on, serve clients
	Stop    // stop serving clients
	// Questions to a leader, and its answers.

	Asks    // From To: Message is a REQUEST or REVALIDATE. The host answers with Propose or Answer
	Answers // Message is the answer to a REVALIDATE or SYNC
	Touches // the sessions in Message.Touched showed activity
	// Only for reports.

	Phases    // State, Phase, To: the leader
	Votes     // Vote, Round
	Finalizes // For: how long it waits for a better vote
	Chooses   // how To catches up: Choice
	Proposes  // Entry
	Commits   // Zxid
	Activates // Epoch: a quorum has adopted it
	Promises  // Epoch, to To, in memory only: the server ForgetsPromise
	Loses     // Reason: it gives up its leader, or its leadership
)

// Effect is one effect. Its Kind says which fields matter.
type Effect struct {
	Kind         EffectKind
	To           ID
	State        State
	Phase        Phase
	Reason       Reason
	Epoch        Epoch
	Zxid         Zxid
	Round        uint64
	For          time.Duration
	Vote         Vote
	Notification Notification
	Choice       Choice
	Entry        Entry
	Message      Message
}

// Blocks reports whether a host must finish the effect before it continues.
func (e *Effect) Blocks() bool {
	switch e.Kind {
	case Flush, SetAccepted, SetCurrent, Truncate, Save:
		return true
	}
	return false
}

// Reason says why a server gives up its leader, or its own leadership.
type Reason uint8

// The reasons.
const (
	NoReason    Reason = iota
	Unreachable        // the leader is out of reach
	Closed             // the connection to the leader closed
	Silent             // the leader was silent for too long
	LowerEpoch         // the leader has a lower epoch than one already promised
	NoQuorum           // no quorum was heard from for too long
	NoEpoch            // no quorum arrived in time to choose an epoch
	NoAck              // no quorum acknowledged the epoch or NEWLEADER in time
	CounterUsed        // the epoch has no zxid left
	Illegal            // the leader sent a message that it must not send
)
