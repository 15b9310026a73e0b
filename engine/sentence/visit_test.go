package sentence_test

import (
	"sync"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/sentence"
)

// TestOneSentenceForMany has a sentence written for many at once, as a refusal is that a class gets: under -race,
// nobody may change it by that.
func TestOneSentenceForMany(t *testing.T) {
	s := sentence.Of("why", sentence.Number(3), sentence.Client(2), sentence.Sentences(sentence.Of("because")))
	var all sync.WaitGroup
	for range 8 {
		copied := s // which has the same arguments
		all.Go(func() { event.AppendFields(nil, copied.Visit) })
	}
	all.Wait()
}
