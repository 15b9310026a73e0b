package naming

// A writer of kazoo's read-write lock is named like a client of its plain lock. So once the children of a znode
// were those of a read-write lock, they still count as such when only writers are left, or come after all had gone.

// readWriteRows holds the rows of read-write locks.
var readWriteRows = func() (m mask) {
	for i := range recipes {
		if recipes[i].use == ReadWrite {
			m |= 1 << (i + 1)
		}
	}
	return m
}()

// Recall returns whether the children of a znode are known to be those of a read-write lock after another one came.
// known is the answer before it; first reports that there was no child. Only a first child can show that they are
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

// Recall makes the family remember what another knew about the same znode's children.
func (f *Family) Recall(before *Family) { f.readers = before.readers }
