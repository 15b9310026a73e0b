package ensemble

import (
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// Rates is what a server has done in the last SpanMS: for its own clients, whatever the path.
type Rates struct {
	SpanMS        int64 // by the server's own clock; 0 if nothing is known
	Reads, Writes Served
	Failures      admin.Traffic // only its Failures
}

// Served counts requests, and the time that they took together.
type Served struct{ N, SumMS int64 }

// PerSecond returns how many requests there were a second.
func (r *Rates) PerSecond(s Served) float64 {
	if r.SpanMS <= 0 {
		return 0
	}
	return float64(s.N) * 1000 / float64(r.SpanMS)
}

// AverageMS returns how long a request took on average, in ms; 0 if there were none.
func (s Served) AverageMS() float64 {
	if s.N <= 0 {
		return 0
	}
	return float64(s.SumMS) / float64(s.N)
}

// recentMS is the longest time between two answers whose difference tells what a server does now.
const recentMS = 5 * 60_000

// sinceStart returns what a server has done since it started.
func sinceStart(t *admin.Traffic) Rates {
	return Rates{SpanMS: t.UptimeMS, Reads: Served{t.Reads.N, t.Reads.SumMS}, Writes: Served{t.Writes.N, t.Writes.SumMS},
		Failures: admin.Traffic{Failures: t.Failures}}
}

// between returns what a server has done between two answers. Nothing is known if it has started anew, if somebody has
// reset its counters, or if the first answer is old.
func between(was, now *admin.Traffic) (r Rates) {
	r = sinceStart(now)
	r.SpanMS -= was.UptimeMS
	r.Reads.sub(was.Reads)
	r.Writes.sub(was.Writes)
	whole := was.UptimeMS > 0 && r.SpanMS > 0 && r.SpanMS <= recentMS && r.Reads.sound() && r.Writes.sound()
	for i := range r.Failures.Failures {
		r.Failures.Failures[i] -= was.Failures[i]
		whole = whole && r.Failures.Failures[i] >= 0
	}
	if !whole {
		return Rates{}
	}
	return r
}

func (s *Served) sub(was admin.Served) { s.N, s.SumMS = s.N-was.N, s.SumMS-was.SumMS }

func (s *Served) sound() bool { return s.N >= 0 && s.SumMS >= 0 }

// Rates returns what the server does: now if two answers tell, else on average since its start.
func (s *Server) Rates() (r Rates, now bool) {
	if s.Recent.SpanMS > 0 {
		return s.Recent, true
	}
	return sinceStart(&s.Traffic), false
}

// traffic says what all servers do together, if every one that serves tells: now, if two answers of each tell that,
// else on average since their start.
func (s *State) traffic() (all []sentence.Sentence) {
	now, told := true, false
	for i := range s.Servers {
		if one := &s.Servers[i]; one.Tells() {
			r, recent := one.Rates()
			if r.SpanMS == 0 {
				return nil
			}
			told, now = true, now && recent
		}
	}
	if !told {
		return nil
	}
	var reads, writes sum
	var failed admin.Traffic
	for i := range s.Servers {
		one := &s.Servers[i]
		if !one.Tells() {
			continue
		}
		r := one.Recent
		if !now {
			r = sinceStart(&one.Traffic)
		}
		reads.add(&r, r.Reads)
		writes.add(&r, r.Writes)
		for f, n := range r.Failures.Failures {
			failed.Failures[f] += min(n, most)
		}
	}
	read, wrote := sentence.Sentences(reads.says("reads")), sentence.Sentences(writes.says("writes"))
	if !now { // what went wrong some day isn't worth a line
		return []sentence.Sentence{sentence.Of("ensemble.traffic.start", read, wrote)}
	}
	return append([]sentence.Sentence{sentence.Of("ensemble.traffic", read, wrote)}, Failed(&failed)...)
}

// sum adds up requests of several servers.
type sum struct {
	Served
	perSecond float64
}

func (s *sum) add(r *Rates, more Served) {
	s.perSecond += r.PerSecond(more)
	s.N, s.SumMS = s.N+min(more.N, most), s.SumMS+min(more.SumMS, most)
}

// says says what was summed up: reads or writes.
func (s *sum) says(what string) sentence.Sentence {
	if s.N == 0 {
		return sentence.Of("ensemble.none." + what)
	}
	return sentence.Of("ensemble.rate."+what, sentence.Text(sentence.Tenths(s.perSecond)),
		sentence.Text(Milliseconds(s.AverageMS())))
}

// Failed says what has gone wrong, and how often.
func Failed(t *admin.Traffic) (all []sentence.Sentence) {
	for f, n := range t.Failures {
		if n > 0 {
			all = append(all, sentence.Of("ensemble.failed."+admin.Failure(f).String(), sentence.Number(n)))
		}
	}
	return all
}
