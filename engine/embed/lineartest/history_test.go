package lineartest

import (
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// decideWithin is how long the checker may search: it needs well under a second.
const decideWithin = 2 * time.Minute

// history is what clients did, while they do it.
type history struct {
	start time.Time

	mu  sync.Mutex
	ops []porcupine.Operation
}

func newHistory() *history { return &history{start: time.Now()} }

// now is in ns since the start, by a clock that never goes back.
func (h *history) now() int64 { return int64(time.Since(h.start)) }

func (h *history) add(client int, o op, call int64, answer outcome, ret int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: o, Call: call, Output: answer, Return: ret})
}

// judge has the history checked.
func (h *history) judge(t *testing.T) porcupine.CheckResult {
	t.Helper()
	verdict, info := porcupine.CheckOperationsVerbose(model(), h.ops, decideWithin)
	if verdict == porcupine.Unknown {
		t.Fatalf("%d ops could not be judged within %v", len(h.ops), decideWithin)
	}
	if verdict == porcupine.Illegal {
		t.Logf("the longest part of a family's history that an order explains has %d ops", longest(info))
	}
	return verdict
}

func longest(info porcupine.LinearizationInfo) (most int) {
	for _, part := range info.PartialLinearizations() {
		for _, line := range part {
			most = max(most, len(line))
		}
	}
	return most
}
