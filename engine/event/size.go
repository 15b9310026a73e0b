package event

// fixedSize is the memory that an Event takes without its strings, in bytes.
const fixedSize = 96

// Size returns the memory that e takes with its strings, in bytes. Events that share a string each count it, so the
// sum over a log is never too small.
func (e Event) Size() int { return fixedSize + len(e.Path) + len(e.Text) }
