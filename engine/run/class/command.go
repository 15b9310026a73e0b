package class

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Command is what somebody wants. Do decides which of the other fields count.
type Command struct {
	Do       string    `json:"do"`
	Key      string    `json:"key,omitempty"`      // Join: the learner's
	Name     string    `json:"name,omitempty"`     // Join, Rename: the learner's, or none
	Place    *Place    `json:"place,omitempty"`    // Lead
	Question *Question `json:"question,omitempty"` // Pose
	Number   int       `json:"number,omitempty"`   // Answer: which question, from 1, so that none is taken for another's
	Choice   int       `json:"choice,omitempty"`   // Answer
	Deed     *Deed     `json:"deed,omitempty"`     // Tell
	Lock     *Lock     `json:"lock,omitempty"`     // SetClients: the lock that learners take, none to end that
}

// The commands, by teachers and then by learners.
const (
	Lead   = "lead"   // the class goes with the teacher
	Call   = "call"   // all back to the teacher
	Pose   = "pose"   // ask a question
	Close  = "close"  // no more answers
	Reveal = "reveal" // show the right one, and the distribution
	Leave  = "leave"  // put the question away
	End    = "end"    // the class
	// SetClients gives each learner a client, with which to take a lock.
	SetClients = "clients"

	// Hello and IsHere make no entries: a page says that it is a teacher's, and whether a learner's follows.
	Hello  = "hello"
	IsHere = "here"

	Join   = "join"
	Rename = "rename"
	Answer = "answer"
	Tell   = "tell" // a task is done
)

// moves are what learners do with their clients. They make no entries either.
var moves = []string{"take", "release", "sleep", "wake", "lose", "back"}

// ofAll are the commands that anybody may give.
var ofAll = []string{Join, Rename, Answer, Tell, Hello, IsHere}

// ofTeachers are the commands that only teachers may give.
var ofTeachers = []string{Lead, Call, Pose, Close, Reveal, Leave, End, SetClients}

// IsCommand reports whether a page may want that.
func IsCommand(do string) bool {
	return slices.Contains(ofTeachers, do) || slices.Contains(ofAll, do) || slices.Contains(moves, do)
}

// Request is what a page says: a command, or whose it is.
type Request struct {
	Command
	Secret  string `json:"secret,omitempty"`  // Hello
	Follows bool   `json:"follows,omitempty"` // Join, IsHere
}

// ParseRequest reads what a page says. It trusts nothing in it.
func ParseRequest(text []byte) (r Request, err error) {
	if len(text) > MaxCommand {
		return r, sentence.Error("bad.message.long", sentence.Number(MaxCommand), sentence.Number(len(text)))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err = d.Decode(&r); err != nil || d.More() {
		return Request{}, sentence.Error("bad.class.message")
	}
	return r, nil
}

// Party is who gives a command.
type Party struct {
	Teacher bool
	Learner int // the number, 0 before they have joined
}

// errors that the tests and the pages know.
var (
	ErrOver       = sentence.Error("refused.class.over")
	ErrNotTeacher = sentence.Error("refused.class.teacher")
	ErrNotJoined  = sentence.Error("refused.class.join")
	ErrNoQuestion = sentence.Error("refused.class.question")
	ErrFull       = sentence.Error("refused.class.full", sentence.Number(MaxLearners))
)

// Begin returns the first entry of a class, at a place.
func Begin(name, secret string, at Place, now time.Time) (Entry, error) {
	if err := at.check(); err != nil {
		return Entry{}, err
	}
	return Entry{Kind: Begun, AtMS: now.UnixMilli(), Class: name, Hash: HashOf(name, secret), Place: &at}, nil
}

// Take returns the entry that a command makes. It returns an Entry without a kind if all is as the command wants it
// already, and an error, with a sentence, if it may not be.
func (s *State) Take(who Party, c Command, now time.Time) (Entry, error) {
	if s.Over(now) {
		return Entry{}, ErrOver
	}
	if s.Entries >= MaxEntries && c.Do != End {
		return Entry{}, sentence.Error("refused.class.long", sentence.Number(MaxEntries))
	}
	if s.Entries >= MaxEntries-ForTeachers && !who.Teacher {
		return Entry{}, sentence.Error("refused.class.long.learner", sentence.Number(MaxEntries-ForTeachers))
	}
	e, err := Entry{}, error(nil)
	if slices.Contains(ofTeachers, c.Do) {
		if !who.Teacher {
			return Entry{}, ErrNotTeacher
		}
		e, err = s.takeFromTeacher(c)
	} else {
		e, err = s.takeFromLearner(who.Learner, c)
		if e.Kind != Joined {
			e.Who = who.Learner
		}
	}
	if err != nil || e.Kind == "" {
		return Entry{}, err
	}
	e.AtMS = max(now.UnixMilli(), s.Last.UnixMilli())
	return e, nil
}

func (s *State) takeFromTeacher(c Command) (e Entry, err error) {
	q := s.Question()
	switch c.Do {
	case Lead:
		if c.Place == nil {
			return e, sentence.Error("bad.class.place")
		}
		if *c.Place == s.Place {
			return e, nil
		}
		return Entry{Kind: Led, Place: c.Place}, c.Place.check()
	case Call:
		return Entry{Kind: Called}, nil
	case Pose:
		return s.pose(c.Question)
	case End:
		return Entry{Kind: Ended}, nil
	case SetClients:
		return s.setClients(c.Lock)
	}
	if q == nil || !s.Shown {
		return e, ErrNoQuestion
	}
	switch {
	case c.Do == Close && q.Open:
		e.Kind = Closed
	case c.Do == Reveal && !q.Revealed:
		e.Kind = Revealed
	case c.Do == Leave:
		e.Kind = Left
	}
	return e, nil
}

func (s *State) pose(q *Question) (Entry, error) {
	switch {
	case q == nil:
		return Entry{}, sentence.Error("bad.class.question", sentence.Number(MaxText), sentence.Number(MaxChoice))
	case len(s.Asked) >= MaxQuestions:
		return Entry{}, sentence.Error("refused.class.questions", sentence.Number(MaxQuestions))
	}
	return Entry{Kind: Posed, Question: q}, q.check()
}

func (s *State) takeFromLearner(number int, c Command) (e Entry, err error) {
	if c.Do == Join {
		return s.join(c)
	}
	l := s.learner(number)
	if l == nil {
		return e, ErrNotJoined
	}
	if l.entries >= MaxOfLearner {
		return e, sentence.Error("refused.class.much", sentence.Number(MaxOfLearner))
	}
	switch c.Do {
	case Rename:
		if !isName(c.Name) {
			return e, sentence.Error("bad.class.name", sentence.Number(MaxName))
		}
		if c.Name != l.Name {
			e = Entry{Kind: Renamed, Name: c.Name}
		}
		return e, nil
	case Answer:
		return s.answer(number, c)
	case Tell:
		return s.tell(l, c.Deed)
	}
	return e, sentence.Error("bad.class.message")
}

func (s *State) join(c Command) (e Entry, err error) {
	switch {
	case len(c.Key) < minKey || len(c.Key) > maxKey:
		return e, sentence.Error("bad.class.message")
	case !isName(c.Name):
		return e, sentence.Error("bad.class.name", sentence.Number(MaxName))
	}
	if _, ok := s.ByKey(c.Key); ok {
		return e, nil
	}
	if len(s.Learners) >= MaxLearners {
		return e, ErrFull
	}
	return Entry{Kind: Joined, Hash: HashOf(s.Name, c.Key), Name: c.Name}, nil
}

// The length of a learner's key, in bytes.
const (
	minKey = 16
	maxKey = 64
)

// answer takes an answer to the question that is open. A learner may change it while it is.
func (s *State) answer(number int, c Command) (e Entry, err error) {
	q := s.Question()
	if q == nil || !q.Open || c.Number != len(s.Asked) {
		return e, ErrNoQuestion
	}
	if c.Choice < 0 || c.Choice >= q.Choices {
		return e, sentence.Error("bad.class.choices", sentence.Number(MaxChoices))
	}
	given, ok := q.answers[number]
	switch {
	case ok && given.choice == c.Choice:
		return e, nil
	case given.changes >= MaxChanges:
		return e, sentence.Error("refused.class.changes", sentence.Number(MaxChanges))
	}
	return Entry{Kind: Answered, Choice: c.Choice}, nil
}

// tell takes a task that a learner has done, unless they have done it as well before.
func (s *State) tell(l *Learner, d *Deed) (e Entry, err error) {
	if d == nil || d.check() != nil {
		return e, sentence.Error("bad.class.message")
	}
	i := slices.IndexFunc(l.Deeds, func(b Best) bool { return b.Task == d.Task })
	switch {
	case i >= 0 && l.Deeds[i].Count <= d.Count:
		return e, nil
	case s.doneAt[d.Task] == 0 && len(s.Tasks) >= MaxTasks:
		return e, sentence.Error("refused.class.tasks", sentence.Number(MaxTasks))
	}
	return Entry{Kind: Done, Deed: d}, nil
}
