// Package meter measures what polite users get while somebody else does not behave: a visitor of the pages, a
// client of the ZooKeeper inside, a class of learners, and newcomers. It attacks nothing and judges nothing; it is
// called by cmd/attack, at normal priority, while the attackers run at the lowest.
package meter

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// maxSamples bounds what one window keeps; more are not taken and counted as left out.
const maxSamples = 100_000

// maxFailures bounds the sentences that one window keeps.
const maxFailures = 5

// Samples are how long answers took in the present window. All methods may be called at the same time.
type Samples struct {
	mu sync.Mutex
	w  Window
}

// Window is what was measured from one Take to the next.
type Window struct {
	Took     []time.Duration // of each answer; a request that failed counts for as long as it was waited for
	Failed   int             // requests that got no answer, or a refusal
	Failures []string        // what the first of them were, each once
}

// answered adds an answer.
func (s *Samples) answered(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.w.Took) < maxSamples {
		s.w.Took = append(s.w.Took, took)
	}
}

// failed adds a request that got none.
func (s *Samples) failed(took time.Duration, why error) {
	s.answered(took)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.w.Failed++
	if text := why.Error(); len(s.w.Failures) < maxFailures && !slices.Contains(s.w.Failures, text) {
		s.w.Failures = append(s.w.Failures, text)
	}
}

// Answered is how many there are in the present window.
func (s *Samples) Answered() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.w.Took)
}

// Take returns what was measured since the last Take, and begins a new window.
func (s *Samples) Take() Window {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.w
	s.w = Window{}
	return w
}

// Add joins two windows.
func (w Window) Add(other Window) Window {
	sum := Window{Took: slices.Concat(w.Took, other.Took), Failed: w.Failed + other.Failed}
	for _, text := range slices.Concat(w.Failures, other.Failures) {
		if len(sum.Failures) < maxFailures && !slices.Contains(sum.Failures, text) {
			sum.Failures = append(sum.Failures, text)
		}
	}
	return sum
}

// Quantile is the sample that the share q of all others do not exceed, rounded down to one: of a hundred samples
// the 99th percentile is the second largest, so that a single slow one in a short window does not decide.
func (w Window) Quantile(q float64) time.Duration {
	if len(w.Took) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(w.Took))
	return sorted[int(q*float64(len(sorted)-1))]
}

// String is the median, the 99th percentile and the longest.
func (w Window) String() string {
	if len(w.Took) == 0 {
		return "none"
	}
	return fmt.Sprintf("%s/%s/%s ms", milli(w.Quantile(0.5)), milli(w.Quantile(0.99)), milli(w.Quantile(1)))
}

func milli(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms < 10 {
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}
