package embed

import (
	"bytes"
	"sync"
	"time"
)

// told keeps the answers to four-letter words that tell of everything. One is made at a time, however many ask.
type told struct {
	mu      sync.Mutex
	answers map[string]answer
}

type answer struct {
	text []byte
	till time.Time // it is given again
}

// rest is how many times as long as it took to make an answer that is given again: however often somebody asks, it
// is made for a fifth of the time at most.
const rest = 4

// oneByOne is a word that one client at a time is answered.
func oneByOne(tell word) word {
	return func(s *Server, asker *conn, w *bytes.Buffer) {
		s.told.mu.Lock()
		defer s.told.mu.Unlock()
		tell(s, asker, w)
	}
}

// again is a word whose last answer, which is shared and stays as it is, is given for a moment.
func again(name string, tell word) word {
	return func(s *Server, asker *conn, w *bytes.Buffer) {
		s.told.mu.Lock()
		defer s.told.mu.Unlock()
		last := s.told.answers[name]
		if begun := time.Now(); !begun.Before(last.till) {
			var b bytes.Buffer
			tell(s, asker, &b)
			made := time.Now()
			last = answer{b.Bytes(), made.Add(rest * made.Sub(begun))}
			if s.told.answers == nil {
				s.told.answers = make(map[string]answer)
			}
			s.told.answers[name] = last
		}
		*w = *bytes.NewBuffer(last.text)
	}
}
