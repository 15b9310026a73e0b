package lineartest

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// enough limits the steps of the model that the checker takes for one family's history. It is not a time limit, so
// no verdict depends on the machine.
const enough = 1 << 18

// history records what clients do.
type history struct {
	start time.Time
	most  int // steps that the checker may take for one family

	mu   sync.Mutex
	ops  []porcupine.Operation
	back int // answers older than earlier answers
}

func newHistory() *history { return &history{start: time.Now(), most: enough} }

// now returns nanoseconds since the start, from a monotonic clock.
func (h *history) now() int64 { return int64(time.Since(h.start)) }

func (h *history) add(client int, o op, call int64, answer outcome, ret int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: o, Call: call, Output: answer, Return: ret})
}

// wentBack records an answer that is older than an earlier one in its session.
func (h *history) wentBack() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.back++
}

// widen lets reads be stale. The state that a server had at a zxid was the newest at some time after the call of
// the last write up to that zxid.
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

// writes reports whether the op is a request that can change something.
func (o op) writes() bool { return o.kind != get && o.kind != list && o.kind != ending }

// judge checks the history. If a family takes too many steps, it checks the longest beginning that doesn't.
func (h *history) judge(t *testing.T) porcupine.CheckResult {
	t.Helper()
	h.widen()
	verdict := porcupine.Ok
	for f, ops := range model().Partition(h.ops) {
		n, found := len(ops), decide(ops, h.most)
		if found == porcupine.Unknown {
			n, found = h.judgeParts(ops)
			t.Logf("family %d has %d ops, too many to decide on: these are the first %d answers", f, len(ops), n)
		}
		if found == porcupine.Illegal {
			verdict = found
			explain(t, f, ops, h.fails(ops, n))
		}
	}
	return verdict
}

// parts limits how many beginnings judgeParts tries.
const parts = 32

// judgeParts checks longer and longer beginnings of one family's history, up to the first that is wrong or takes
// too many steps. It returns how many answers it has judged.
func (h *history) judgeParts(ops []porcupine.Operation) (n int, verdict porcupine.CheckResult) {
	verdict = porcupine.Ok
	for i := 1; i < parts && verdict == porcupine.Ok; i++ {
		next := len(ops) * i / parts
		found := decide(beginning(ops, next), h.most)
		if found == porcupine.Unknown {
			break
		}
		n, verdict = next, found
	}
	return n, verdict
}

// decide checks one family's history in at most that many steps of the model.
func decide(ops []porcupine.Operation, most int) porcupine.CheckResult {
	m, steps := model(), 0
	step := m.Step
	m.Partition = nil
	m.Step = func(state, input, output any) []any {
		if steps++; steps > most {
			return nil // for all remaining steps, so that the search ends soon
		}
		return step(state, input, output)
	}
	switch ok := porcupine.CheckOperations(m.ToModel(), ops); {
	case ok:
		return porcupine.Ok
	case steps > most:
		return porcupine.Unknown
	}
	return porcupine.Illegal
}

// beginning returns one family's history up to the nth answer. Later answers count as unknown.
func beginning(ops []porcupine.Operation, n int) (first []porcupine.Operation) {
	if n == 0 {
		return nil
	}
	end := inOrder(ops)[n-1].Return
	for _, o := range ops {
		in := o.Input.(op)
		switch {
		case o.Call > end || o.Return > end && (in.kind == get || in.kind == list):
			continue
		case o.Return > end && in.kind != ending:
			o.Output, o.Return = outcome{lost: true}, math.MaxInt64
		}
		first = append(first, o)
	}
	return first
}

// inOrder sorts by the time of the answer.
func inOrder(ops []porcupine.Operation) []porcupine.Operation {
	return slices.SortedFunc(slices.Values(ops), func(a, b porcupine.Operation) int {
		return cmp.Compare(a.Return, b.Return)
	})
}

// fails returns the number of answers up to the first one that fits no order of the ops. The first n answers of
// this family's history fit none.
func (h *history) fails(ops []porcupine.Operation, n int) int {
	return sort.Search(n, func(i int) bool {
		return decide(beginning(ops, i), h.most) == porcupine.Illegal
	})
}

// told limits how many answers explain prints.
const told = 20

// explain prints the last of a family's first n answers, which fit no order of the ops.
func explain(t *testing.T, family int, ops []porcupine.Operation, n int) {
	t.Helper()
	t.Logf("family %d: no order explains the first %d of %d answers, which end so:", family, n, len(ops))
	for _, o := range inOrder(ops)[max(0, n-told):n] {
		t.Logf("client %d, %v to %v: %s", o.ClientId, time.Duration(o.Call), time.Duration(o.Return),
			model().DescribeOperation(o.Input, o.Output))
	}
}
