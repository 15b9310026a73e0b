package lineartest

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// decideWithin is how long the checker may search: it mostly needs well under a second.
const decideWithin = 30 * time.Second

// history is what clients did, while they do it.
type history struct {
	start time.Time

	mu   sync.Mutex
	ops  []porcupine.Operation
	back int // answers from further back than those before
}

func newHistory() *history { return &history{start: time.Now()} }

// now is in ns since the start, by a clock that never goes back.
func (h *history) now() int64 { return int64(time.Since(h.start)) }

func (h *history) add(client int, o op, call int64, answer outcome, ret int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: o, Call: call, Output: answer, Return: ret})
}

// wentBack is an answer from further back than one before it in its session.
func (h *history) wentBack() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.back++
}

// widen lets reads be of what was: the state that a server had with its zxid was the newest at some time since the
// write with it, or the last before that, was asked for.
func (h *history) widen() {
	type write struct{ zxid, call int64 }
	var writes []write
	for _, o := range h.ops {
		if in, out := o.Input.(op), o.Output.(outcome); in.writes() && !out.lost {
			writes = append(writes, write{out.zxid, o.Call})
		}
	}
	slices.SortFunc(writes, func(a, b write) int { return cmp.Compare(a.zxid, b.zxid) })
	for i := range h.ops {
		o := &h.ops[i]
		if !o.Input.(op).stale {
			continue
		}
		n, found := slices.BinarySearchFunc(writes, o.Output.(outcome).zxid, func(w write, z int64) int {
			return cmp.Compare(w.zxid, z)
		})
		switch {
		case found:
			o.Call = min(o.Call, writes[n].call)
		case n > 0:
			o.Call = min(o.Call, writes[n-1].call)
		default:
			o.Call = 0
		}
	}
}

// writes reports whether the op is a request that changes something.
func (o op) writes() bool { return o.kind != get && o.kind != list && o.kind != ending }

// judge has the history checked, or as long a beginning of it as the checker can decide on.
func (h *history) judge(t *testing.T) porcupine.CheckResult {
	t.Helper()
	var calls []int64
	for _, o := range h.ops {
		calls = append(calls, o.Call)
	}
	slices.Sort(calls)
	h.widen()
	ops := h.ops
	verdict, info := porcupine.CheckOperationsVerbose(model(), ops, decideWithin)
	for parts := 2; verdict == porcupine.Unknown && parts <= 8; parts *= 2 {
		ops = h.until(calls[len(calls)/parts])
		t.Logf("it cannot be decided within %v: these are the first %d of %d ops", decideWithin, len(ops), len(h.ops))
		verdict, info = porcupine.CheckOperationsVerbose(model(), ops, decideWithin)
	}
	switch verdict {
	case porcupine.Unknown:
		t.Fatalf("%d ops could not be judged within %v", len(ops), decideWithin)
	case porcupine.Illegal:
		without(t, ops, "reads that may be old", func(o op) bool { return o.stale })
		without(t, ops, "reads", func(o op) bool { return o.kind == get || o.kind == list })
		t.Logf("the longest part of a family's history that an order explains has %d ops", longest(info))
	}
	return verdict
}

// until is the history up to some time: of what had not been answered by then nothing is known.
func (h *history) until(end int64) []porcupine.Operation {
	var ops []porcupine.Operation
	for _, o := range h.ops {
		in := o.Input.(op)
		switch {
		case o.Call >= end || o.Return > end && (in.kind == get || in.kind == list):
			continue
		case o.Return > end && in.kind != ending:
			o.Output, o.Return = outcome{lost: true}, math.MaxInt64
		}
		ops = append(ops, o)
	}
	return ops
}

// without says whether the history would be fine without some of the ops, which may not change anything.
func without(t *testing.T, ops []porcupine.Operation, what string, leave func(op) bool) {
	t.Helper()
	ops = slices.DeleteFunc(slices.Clone(ops), func(o porcupine.Operation) bool { return leave(o.Input.(op)) })
	t.Logf("without %s the verdict is %s", what, porcupine.CheckOperationsTimeout(model(), ops, decideWithin))
}

func longest(info porcupine.LinearizationInfo) (most int) {
	for _, part := range info.PartialLinearizations() {
		for _, line := range part {
			most = max(most, len(line))
		}
	}
	return most
}
