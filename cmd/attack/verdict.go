package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/meter"
	"github.com/zkviz/zkviz/cmd/attack/internal/target"
)

// What polite users are promised.
const (
	pageLimit   = 200 * time.Millisecond // for a page, at the 99th percentile
	answerLimit = 50 * time.Millisecond  // for an answer of the ZooKeeper inside, likewise
)

// busiest is the share of the processors that other programs may use: with more, times say nothing of the server.
const busiest = 0.10

// result is what came of an attack.
type result struct {
	name     string
	memoryMB int
	crowd    crowd
	took     time.Duration
	rested   time.Duration

	pages, answers, arrivals meter.Window
	class                    meter.ClassWindow

	before, after     target.Usage
	peakMB, mostFiles int
	others            float64 // share of the processors that other programs used
	death             string  // how the server died, if it did

	broken []string // what did not hold
	notes  []string
}

func (r *result) fail(format string, args ...any) {
	r.broken = append(r.broken, fmt.Sprintf(format, args...))
}

// judge holds the result to what is promised.
func (r *result) judge() {
	if r.death != "" {
		r.fail("the server died after %v, with %d MB: %s", r.took.Round(100*time.Millisecond), r.peakMB, r.death)
		return // those who came then found nobody
	}
	if r.peakMB >= r.memoryMB {
		r.fail("the server had %d MB resident, and may have %d", r.peakMB, r.memoryMB)
	}
	r.judgeAnswers("a page", r.pages, pageLimit)
	r.judgeAnswers("an answer of the ZooKeeper inside", r.answers, answerLimit)
	if r.arrivals.Failed > 0 {
		r.fail("%d of %d newcomers were not served at once: %s", r.arrivals.Failed, len(r.arrivals.Took),
			strings.Join(r.arrivals.Failures, "; "))
	}
	if n := len(r.class.Unserved); n > 0 {
		r.fail("%d of %d learners were not served: %s", n, r.crowd.learners, r.class.Unserved[0])
	}
	if r.class.Waiting > 0 && r.took > r.crowd.pause+learnerWaits {
		r.fail("%d of %d learners got nothing in %v", r.class.Waiting, r.crowd.learners, r.took.Round(time.Second))
	}
	if r.others > busiest {
		r.fail("the machine was busy with other things, %.0f %% of its processors: the times do not count", 100*r.others)
	}
}

func (r *result) judgeAnswers(what string, w meter.Window, limit time.Duration) {
	if w.Failed > 0 {
		r.fail("%d of %d polite requests failed: %s", w.Failed, len(w.Took), strings.Join(w.Failures, "; "))
	}
	if got := w.Quantile(0.99); got > limit {
		r.fail("%s took %v at the 99th percentile, and may take %v", what, got.Round(time.Millisecond), limit)
	}
	if len(w.Took) == 0 {
		r.fail("nobody got %s in %v", what, r.took.Round(time.Second))
	}
}
