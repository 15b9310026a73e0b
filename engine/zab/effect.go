package zab

import "time"

// EffectKind is what a host is to do, or what it may tell.
type EffectKind uint8

// The effects. Those marked with * hold up all behind them, and all that the Node is told, until they are done.
const (
	// On the links.

	Notify EffectKind = iota // Notification to To, on the election port; a newer one takes the place of one not yet sent
	Dial                     // connect to To's quorum port, and say so with Dialled
	Hangup                   // end the connection with To
	Send                     // Message to To, behind all that was sent to it on this connection
	// On the disk.

	Append      // Entry to the log. The host flushes in batches, and says so with Synced
	Flush       // * all that was appended is on the disk
	SetAccepted // * Epoch, promised to To
	SetCurrent  // * Epoch, of To
	Truncate    // * the log behind Zxid
	Save        // * Message.Snapshot, in place of all that was there
	// On what the host keeps in memory.

	Load    // Message.Snapshot of To: the state is this
	Reload  // the state is what the disk has, up to its end
	CatchUp // apply what is in the log, and was not applied yet, up to its end. It is not committed
	Deliver // Entry is committed: apply it
	Serve   // all up to Zxid is committed; from here on clients are served
	Stop    // and here they no longer are
	// From those who ask a leader, and back.

	Asks    // From To: Message is a REQUEST or REVALIDATE, for the host to answer with Propose or Answer
	Answers // Message is the answer to a REVALIDATE or SYNC
	Touches // Message.Touched was heard of
	// Only to be told.

	Phases    // State, Phase, To: the leader
	Votes     // Vote, Round
	Finalizes // For: so long it waits for a better vote
	Chooses   // how To is to catch up: Choice
	Proposes  // Entry
	Commits   // Zxid
	Activates // Epoch: a quorum has adopted it
	Promises  // Epoch, to To: in memory only, of a server that ForgetsPromise
	Loses     // Reason: its leader, or its leading
)

// Effect is one of them.
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

// Blocks reports whether a host must have done it before it goes on.
func (e *Effect) Blocks() bool {
	switch e.Kind {
	case Flush, SetAccepted, SetCurrent, Truncate, Save:
		return true
	}
	return false
}

// Reason is why a server gives up its leader, or its leading.
type Reason uint8

// The reasons.
const (
	NoReason    Reason = iota
	Unreachable        // the leader cannot be connected to
	Closed             // the connection to the leader has ended
	Silent             // nothing was heard from the leader for too long
	LowerEpoch         // the leader has a lower epoch than one that was promised
	NoQuorum           // nothing was heard from a quorum for too long
	NoEpoch            // no quorum came in time for an epoch
	NoAck              // no quorum acknowledged the epoch, or NEWLEADER, in time
	CounterUsed        // there is no next zxid
	Illegal            // the leader said what it must not say
)
