package shared

import "time"

// Limits of logs. Reaching one is an error that says so.
const (
	// EntryBytes bounds the data of an entry.
	EntryBytes = 32 << 10
	// LogBytes bounds the data of a log's entries together.
	LogBytes = 8 << 20
	// LogsBytes bounds what all logs together take in NATS before an append is refused with ErrFull.
	LogsBytes = 256 << 20
	// Logs bounds the number of logs.
	Logs = 10_000
	// LogAge is how long a log takes entries after its first one.
	LogAge = 24 * time.Hour
	// KeptFor is how long NATS keeps an entry: a log is whole for a day after its last entry.
	KeptFor = 2 * LogAge
)

// Limits of leases.
const (
	// LeaseFor is how long a lease lasts in NATS without being renewed, unless Config.Lease says otherwise. An owner
	// renews it after a third of that, and believes in it for five sixths: the rest is more than clocks drift.
	LeaseFor = 3 * time.Second
	// LeaseAtLeast bounds Config.Lease.
	LeaseAtLeast = time.Second
)

// believed returns how long an owner believes in its lease, and renewal how often it renews it.
func believed(lease time.Duration) time.Duration { return lease - lease/6 }
func renewal(lease time.Duration) time.Duration  { return lease / 3 }

// Limits of messages between servers.
const (
	// AskBytes bounds a request, and its answer.
	AskBytes = 64 << 10
	// AnswerWithin is how long an owner may take for an answer, and how long Ask waits for it.
	AnswerWithin = 5 * time.Second
	// TellBytes bounds a message to all.
	TellBytes = 64 << 10
	// QueueMessages and QueueBytes bound what waits for one receiver. NATS drops what comes then.
	QueueMessages = 4096
	QueueBytes    = 16 << 20
)

// NameBytes bounds a name.
const NameBytes = 64

// Limits of the server inside.
const (
	// MemoryBytes bounds what JetStream keeps in memory.
	MemoryBytes = 16 << 20
	// DiskBytes bounds the files: logs, the reserve and leases.
	DiskBytes = streamBytes + ownersBytes
	// SyncEvery is how often files are forced to the disk.
	SyncEvery = 2 * time.Second
)

const (
	// reserveBytes is what the stream may hold beyond LogsBytes: marks of owners and of deletions, so that a full stream
	// can be emptied.
	reserveBytes = 16 << 20
	streamBytes  = LogsBytes + reserveBytes
	ownersBytes  = 16 << 20
	// quotaEvery is how often a server asks how full the stream is.
	quotaEvery = 5 * time.Second
	// retryEvery is the pause before something is tried again that NATS couldn't do.
	retryEvery = 100 * time.Millisecond
	// wakeEvery is how often one who waits for a lease tries to take it, in case that the message of its end was lost.
	wakeEvery = 2 * time.Second
	// lookEvery is how often a reader to whom nothing comes asks whether something is there.
	lookEvery = 10 * time.Second
	// batchBytes bounds what NATS sends ahead to a reader.
	batchBytes = 1 << 20
	// pullFor is how long NATS waits with one batch for a reader. It sends a sign of life in half of that.
	pullFor = 10 * time.Second
	// consumerFor is how long NATS keeps a reader's place after the reader is gone.
	consumerFor = 30 * time.Second
	// answerOfNATS is how long NATS may take for an answer before the request counts as lost.
	answerOfNATS = 2 * time.Second
	// pingEvery and pingsOut are how often a link is tested, and how many tests may be unanswered.
	pingEvery = 2 * time.Second
	pingsOut  = 2
	// reconnectEvery is how often a lost link is tried again.
	reconnectEvery = 200 * time.Millisecond
	// prepareFor is how long NATS may take to make the stream and the bucket before Open asks again.
	prepareFor = 15 * time.Second
	// startFor is how long the server inside may take to start, closeFor how long Close waits for NATS.
	startFor = 30 * time.Second
	closeFor = time.Second
)
