package view_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// FuzzApply checks that whatever a decoder accepts can be folded, and that a copy of the State folds the same.
func FuzzApply(f *testing.F) {
	for _, name := range []string{"pause", "cut", "queue"} {
		var b []byte
		for _, e := range scenarios()[name].log(f) {
			b = event.AppendBinary(b, e)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		history, whole := &view.History{}, view.New()
		for len(src) > 0 {
			e, rest, err := event.DecodeBinary(src)
			if err != nil {
				break
			}
			src = rest
			history.Append(e)
			e.Seq = event.Seq(history.Len())
			whole.Apply(e)
			view.Why(e, history)
		}
		history.StateAtSeq(event.Seq(history.Len() / 2))
		if got := history.StateAtSeq(event.Seq(history.Len())); !equal(*got, *whole) {
			t.Fatalf("got  %+v\nwant %+v", *got, *whole)
		}
	})
}
