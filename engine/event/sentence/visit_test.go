package sentence_test

import (
	"sync"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// TestOneSentenceForMany writes one sentence from several goroutines, as when a class gets the same refusal. Under
// -race, it shows that writing changes nothing.
func TestOneSentenceForMany(t *testing.T) {
	s := sentence.Of("why", sentence.Number(3), sentence.Client(2), sentence.Sentences(sentence.Of("because")))
	var all sync.WaitGroup
	for range 8 {
		copied := s // with the same arguments
		all.Go(func() { event.AppendFields(nil, copied.Visit) })
	}
	all.Wait()
}
