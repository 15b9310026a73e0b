package embed

import (
	"bytes"
	"sync"
	"time"
)

// told caches the answers to expensive four-letter words. Only one is built at a time, however many clients ask.
type told struct {
	mu      sync.Mutex
	answers map[string]answer
}

type answer struct {
	text []byte
	till time.Time // until when it is used again
}

// rest says how long an answer is reused, as a multiple of the time to build it. So building takes at most a fifth
// of the time, however often clients ask.
const rest = 4

// oneByOne returns a word that answers one client at a time.
func oneByOne(tell word) word {
	return func(s *Server, asker *conn, w *bytes.Buffer) {
		s.told.mu.Lock()
		defer s.told.mu.Unlock()
		tell(s, asker, w)
	}
}

// again returns a word that reuses its last answer for a moment. The shared answer is never modified.
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
