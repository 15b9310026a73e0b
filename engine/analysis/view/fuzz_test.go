package view_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
)

// FuzzApply checks that whatever a decoder accepts can be folded, and that a copy of the State folds the same.
func FuzzApply(f *testing.F) {
	for _, name := range []string{"pause", "cut", "queue"} {
		var block packed.Encoder
		block.Begin(1)
		for _, e := range scenarios()[name].log(f) {
			block.Append(e)
		}
		f.Add(block.Block())
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		history, whole := &view.History{}, view.New()
		var decoder packed.Decoder
		decoder.Begin(src)
		for e := (event.Event{}); decoder.Next(&e) && e.Valid() == nil; {
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
