package naming

// A writer of kazoo's read-write lock is named like one who has its plain lock. So the children of a znode that have
// once been those of a read-write lock are still taken for such when only writers are left of them, or come after all
// had gone.

// readWriteRows are the rows of read-write locks.
var readWriteRows = func() (m mask) {
	for i := range recipes {
		if recipes[i].use == ReadWrite {
			m |= 1 << (i + 1)
		}
	}
	return m
}()

// Recall returns whether the children of a znode are known to be those of a read-write lock once another has come.
// Before it they were known to be or not to be; first reports that there was none. Only the first can say that they are
// another lock by now.
func Recall(known bool, c Child, first bool) bool { return recall(known, relativeOf(c).counts, first) }

func recall(known bool, counts mask, first bool) bool {
	switch counts &= lineRows; {
	case counts == 0:
	case counts&^readWriteRows == 0:
		return true
	case first && counts&readWriteRows == 0:
		return false
	}
	return known
}

// Recall has the family remember what another knew of the same znode's children.
func (f *Family) Recall(before *Family) { f.readers = before.readers }
