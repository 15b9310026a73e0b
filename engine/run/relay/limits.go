package relay

import "time"

const (
	// CheckEvery is how often a reader asks the owner whether it reads the right log.
	CheckEvery = 5 * time.Second
	// AloneFor is how long a server observes by itself when NATS has no room.
	AloneFor = time.Minute
	// GoneAfter is how long a reader waits for a server that offers what it wants to see.
	GoneAfter = 10 * time.Second
	// quietFor is how long nobody has asked for a log when nobody reads it: readers ask every CheckEvery.
	quietFor = 3 * CheckEvery
	// answerWithin is how long a new owner waits for somebody who knows the log.
	answerWithin = 300 * time.Millisecond
	// askFor is how long an owner has for an answer.
	askFor = 2 * time.Second
	// againEvery is the pause before somebody is asked again.
	againEvery = 50 * time.Millisecond
	// flushEvery is how long events wait for others that go with them.
	flushEvery = 50 * time.Millisecond
	// maxBlocks is how many blocks wait for NATS before the Source has to wait.
	maxBlocks = 64
	// maxBytes is how long a log may be: less than a shared log may, since its last entry says that it has ended.
	maxBytes = 7 << 20
	// endWithin is how long the owner takes over its last entries at most.
	endWithin = 2 * time.Second
	// nameLetters is the length of the part of a log's name that nobody else makes up.
	nameLetters = 16
)
