package class

import (
	"slices"
	"time"
)

// State is what the entries of a class add up to. Only Apply changes it.
type State struct {
	Name     string // empty before the class has begun
	Begun    time.Time
	Last     time.Time // of the last entry
	Place    Place     // where the teacher is
	Calls    int       // how often all were called back
	Learners []Learner // the first one has number 1
	Asked    []*Asked
	Shown    bool     // the last question is on the pages
	Tasks    []string // that somebody has done, in the order of the first
	Lock     *Lock    // that learners take with clients of their own; nil if they have none
	Ended    bool
	Entries  int
	Named    []int // learners, in the order in which they got their names, again for another name

	secret Hash
	byKey  map[Hash]int
	doneAt map[string]int // by task, the number of the entry that changed its board last
	orders orders
}

// Learner is one of a class.
type Learner struct {
	Number int
	Name   string // empty for none
	Joined time.Time
	Deeds  []Best

	entries int // that the learner has made
}

// Best is a learner's best try at a task: the fewest actions, and of those the first.
type Best struct {
	Deed
	At time.Time
}

// Apply adds the log's next entry. An entry that makes no sense, which no owner writes, changes nothing.
func (s *State) Apply(e Entry) {
	s.Entries++
	s.Last = e.At()
	if l := s.learner(e.Who); l != nil {
		l.entries++
	}
	if e.By != "" {
		s.orders.made(e, s.Entries)
	}
	switch e.Kind {
	case Begun: // always the first
		s.Name, s.Begun, s.Place = e.Class, e.At(), *e.Place
		s.secret, s.byKey, s.doneAt = e.Hash, map[Hash]int{}, map[string]int{}
	case Joined:
		s.Learners = append(s.Learners, Learner{Number: len(s.Learners) + 1, Name: e.Name, Joined: e.At()})
		s.byKey[e.Hash] = len(s.Learners)
		s.Named = append(s.Named, len(s.Learners))
	case Renamed:
		if l := s.learner(e.Who); l != nil {
			l.Name = e.Name
			s.Named = append(s.Named, e.Who)
		}
	case Led:
		s.Place = *e.Place
	case Called:
		s.Calls++
	case Posed:
		s.Asked = append(s.Asked, &Asked{Question: *e.Question, Open: true, answers: map[int]answer{}})
		s.Shown = true
	case Answered, Closed, Revealed, Left:
		s.applyToQuestion(e)
	case Done:
		if l := s.learner(e.Who); l != nil {
			l.did(Best{*e.Deed, e.At()})
			if s.doneAt[e.Deed.Task] == 0 {
				s.Tasks = append(s.Tasks, e.Deed.Task)
			}
			s.doneAt[e.Deed.Task] = s.Entries
		}
	case Clients:
		s.Lock = e.Lock
	case Ended:
		s.Ended, s.Lock = true, nil
	}
}

func (s *State) applyToQuestion(e Entry) {
	q := s.Question()
	switch {
	case q == nil:
	case e.Kind == Answered:
		q.answers[e.Who] = answer{e.Choice, q.answers[e.Who].changes + 1}
	case e.Kind == Closed:
		q.Open = false
	case e.Kind == Revealed:
		q.Open, q.Revealed = false, true
	case e.Kind == Left:
		q.Open, s.Shown = false, false
	}
}

// did keeps a deed if it's the first at its task, or better.
func (l *Learner) did(b Best) {
	i := slices.IndexFunc(l.Deeds, func(other Best) bool { return other.Task == b.Task })
	switch {
	case i < 0:
		l.Deeds = append(l.Deeds, b)
	case b.Count < l.Deeds[i].Count:
		l.Deeds[i] = b
	}
}

// learner returns a learner by number, or nil.
func (s *State) learner(number int) *Learner {
	if number < 1 || number > len(s.Learners) {
		return nil
	}
	return &s.Learners[number-1]
}

// Question returns the question that was asked last, or nil.
func (s *State) Question() *Asked {
	if len(s.Asked) == 0 {
		return nil
	}
	return s.Asked[len(s.Asked)-1]
}

// IsTeacher reports whether somebody knows the class's secret.
func (s *State) IsTeacher(secret string) bool { return s.secret.Is(s.Name, secret) }

// ByKey returns the number of the learner with a key.
func (s *State) ByKey(key string) (number int, ok bool) {
	number, ok = s.byKey[HashOf(s.Name, key)]
	return number, ok
}

// expire returns the entry that ends a class which has lasted too long, or one without a kind.
func (s *State) expire(now time.Time) (e Entry) {
	if !s.Ended && s.Over(now) {
		e = Entry{Kind: Ended, AtMS: now.UnixMilli()}
	}
	return e
}

// Over reports whether the class has ended, or has lasted too long.
func (s *State) Over(now time.Time) bool { return s.Ended || now.Sub(s.Begun) > MaxAge }
