package check

// AtEnd reports whether only the end of a run decides that the rule was kept: what is not done yet may still be
// done until then. It may be broken before. Of any other rule every moment shows that it is kept so far.
func AtEnd(rule string) bool {
	switch rule {
	case Progress, Clean, Once, AllDone, EveryMessage, Current, VotesKept:
		return true
	}
	return false
}
