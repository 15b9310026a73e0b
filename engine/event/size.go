package event

// fixedSize is what an Event takes in memory besides its strings, in bytes.
const fixedSize = 96

// Size is how much memory e takes, in bytes, with its strings. Events that share a string each count it, so the sum
// over a log is never too small.
func (e Event) Size() int { return fixedSize + len(e.Path) + len(e.Text) }
