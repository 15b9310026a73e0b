package across

import "time"

const (
	// Within is how long an order may take until it is refused with class.ErrAway: longer than a take-over.
	Within = 6 * time.Second
	// LeadEvery is how often where the teacher is goes into the log while it changes.
	LeadEvery = time.Second
	// HereEvery is how often each server says again who is here, and hereFor how long that counts.
	HereEvery = 2 * time.Second
	hereFor   = 3 * HereEvery
	// gatherFor is how long changes of who is here gather before they are said.
	gatherFor = 200 * time.Millisecond
	// askFor is how long an owner has for an answer before it is asked again: it may have lost its lease.
	askFor = 2 * time.Second
	// againEvery is the pause before something is tried again.
	againEvery = 50 * time.Millisecond
	// decideFor is how long an owner takes over an order at most.
	decideFor = 4 * time.Second
	// settleFor is how long the end of a line may take to write down what is left.
	settleFor = time.Second
	// serverLetters is the length of a server's name: 50 bits at random.
	serverLetters = 10
	// turnBits is how many places an owner may show: an epoch's turns come behind those of the epoch before.
	turnBits = 24
)
