package shared

// step says what a reader does with an entry.
type step int

const (
	deliver step = iota
	skip         // it's a mark, or came before
	gap          // entries before it are missing
	deleted
)

// entryNext decides what a reader does with an entry that waits for the one with the number next.
func entryNext(next uint64, e entry) step {
	switch {
	case e.kind == kindDeleted:
		return deleted
	case e.n < next: // a mark has the number of the entry before it
		return skip
	case e.kind == kindData && e.n == next:
		return deliver
	}
	return gap
}
