package recordings

import "time"

// Limits.
const (
	// SayEvery is how often a server says that it has recordings, and forgetAfter how long others remember it.
	SayEvery    = 5 * time.Second
	forgetAfter = 4 * SayEvery
	// MaxFolders is how many other folders a server remembers. It doesn't hear of more.
	MaxFolders = 100
	// findWithin is how long servers may take together for a list. Those that take longer are left out of it.
	findWithin = 2 * time.Second
	// pieceWithin is how long a server may take for a piece of a file before it is asked again, and tries how often
	// it's asked.
	pieceWithin = 3 * time.Second
	tries       = 3
	// pieceBytes is the size of a piece, and rowsBytes of a part of a list.
	pieceBytes = 48 << 10
	rowsBytes  = 48 << 10
	// againEvery is the pause before a name is asked for again that can't be had.
	againEvery = 250 * time.Millisecond
)
