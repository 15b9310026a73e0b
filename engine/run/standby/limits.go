package standby

import (
	"time"

	"github.com/zkviz/zkviz/engine/run/shared"
)

const (
	// MaxImage bounds the encoded tree in bytes. Servers with a larger one join by themselves.
	MaxImage = 4 << 20
	// AloneFor is how long a server joins by itself because the tree or NATS's room doesn't allow sharing.
	AloneFor = 10 * time.Minute
	// mostBytes and mostAge end a log before shared's own limits do.
	mostBytes = shared.LogBytes - (3 << 20)
	mostAge   = shared.LogAge - time.Hour
	// maxBatch bounds a batch, so that one who fakes entries can't fill the memory.
	maxBatch = 2 * MaxImage
	// maxData bounds the size of data that an entry may claim, in bytes.
	maxData = 16 << 20
	// chunk is how much of a batch is in one entry, in bytes.
	chunk = shared.EntryBytes - 1
	// GiveUpAfter is how long an owner looks for a leader before another server may try.
	GiveUpAfter = 10 * time.Second
	// flushEvery is how long transactions wait for others that go with them.
	flushEvery = 20 * time.Millisecond
	// maxWaiting is how many bytes wait for NATS before the learner has to wait.
	maxWaiting = 512 << 10
	// checkEvery is how often a reader asks whether it reads the right log.
	checkEvery = 5 * time.Second
	// answerWithin is how long a new owner waits for somebody who knows the log.
	answerWithin = 300 * time.Millisecond
	// letOthers is the pause of one who gave up, in which another server takes the lease.
	letOthers = time.Second
	// againEvery is the pause before something is tried again.
	againEvery = 100 * time.Millisecond
)
