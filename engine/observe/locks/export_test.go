package locks

// LimitHolds limits the holds of all locks together.
func (l *Locks) LimitHolds(most int) { l.past.most = most }
