package embed

import "sync/atomic"

// budgets holds the room for long replies and for long requests.
type budgets struct {
	replies      *budget
	huge         *budget // for replies above the default limit of Apache's clients
	requests     *budget
	hugeRequests *budget
	throttled    *atomic.Int64 // claims that waited for room
}

func newBudgets(of bounds) budgets {
	throttled := new(atomic.Int64)
	return budgets{
		replies:      newBudget(of.replies, of.stall, "replies", throttled),
		huge:         newBudget(of.huge, of.stall, "huge replies", throttled),
		requests:     newBudget(of.requests, of.stall, "requests", throttled),
		hugeRequests: newBudget(of.hugeRequests, of.stall, "huge requests", throttled),
		throttled:    throttled,
	}
}

// forReply returns the budget for a long reply of n bytes.
func (b *budgets) forReply(n int) *budget {
	if n > hugeReply {
		return b.huge
	}
	return b.replies
}

// forRequest returns the budget for a long request of n bytes.
func (b *budgets) forRequest(n int) *budget {
	if n > hugeRequest {
		return b.hugeRequests
	}
	return b.requests
}

// waiting returns the number of claims that wait for room.
func (b *budgets) waiting() int {
	return b.replies.waiting() + b.huge.waiting() + b.requests.waiting() + b.hugeRequests.waiting()
}
