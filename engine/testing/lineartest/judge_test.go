package lineartest

import (
	"fmt"
	"math"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// readings returns the history of a client that creates a znode and reads it n times.
func readings(n int) *history {
	h := newHistory()
	h.add(0, op{kind: create, name: "a", data: "x"}, 0, outcome{name: "a", zxid: 1}, 1)
	for i := range int64(n) {
		h.add(0, op{kind: get, name: "a"}, 10*i+2, outcome{data: "x", zxid: 1}, 10*i+3)
	}
	return h
}

// TestFailsAt checks that fails finds the first wrong answer.
func TestFailsAt(t *testing.T) {
	h := readings(50)
	for _, i := range []int{30, 40} {
		h.ops[i].Output = outcome{data: "y", zxid: 1}
	}
	if got := h.fails(h.ops, len(h.ops)); got != 31 {
		t.Errorf("it fails at the %dth answer, and not at the 31st", got)
	}
	if got := h.judge(t); got != porcupine.Illegal {
		t.Errorf("the checker says %s", got)
	}
}

// TestTooManyOrders checks that an undecidable history is judged by its beginning.
func TestTooManyOrders(t *testing.T) {
	for _, wrong := range []int{-1, 10} {
		h := readings(100)
		h.most = 10_000
		if wrong >= 0 {
			h.ops[wrong].Output = outcome{data: "y", zxid: 1}
		}
		for i := range int64(40) { // nobody knows which of these were carried out, or in which order
			o := op{kind: set, name: "a", data: fmt.Sprint(i), version: zoo.AnyVersion}
			h.add(int(i), o, 1000+i, outcome{lost: true}, math.MaxInt64)
		}
		h.add(0, op{kind: get, name: "a"}, 2000, outcome{data: "never", version: 1}, 2001)
		want := porcupine.Ok
		if wrong >= 0 {
			want = porcupine.Illegal
		} else if got := decide(h.ops, h.most); got != porcupine.Unknown {
			t.Errorf("the checker says %s of all of it", got)
		}
		if got := h.judge(t); got != want {
			t.Errorf("the checker says %s, not %s", got, want)
		}
	}
}
