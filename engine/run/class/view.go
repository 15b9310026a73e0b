package class

import (
	"cmp"
	"encoding/json"
	"slices"
)

// The views are what pages get of a class, as JSON. All learners get the same, apart from You.

// About is what everybody sees.
type About struct {
	Say      string        `json:"say"` // class
	Name     string        `json:"name"`
	Learners int           `json:"learners"`
	Here     int           `json:"here"`  // how many of them follow
	Calls    int           `json:"calls"` // another number calls all back
	Question *QuestionView `json:"question,omitempty"`
	Lock     *Lock         `json:"lock,omitempty"` // learners have clients that take it
	Ended    bool          `json:"ended,omitempty"`
}

// QuestionView is the question that is shown.
type QuestionView struct {
	Number int `json:"number"` // from 1
	Question
	Open     bool  `json:"open"`
	Revealed bool  `json:"revealed"`
	Answers  int   `json:"answers"`          // how many
	Counts   []int `json:"counts,omitempty"` // by choice; for learners once it is revealed
}

// You is what a page's own reader sees.
type You struct {
	Say     string `json:"say"` // you
	Teacher bool   `json:"teacher,omitempty"`
	Number  int    `json:"number,omitempty"`
	Name    string `json:"name,omitempty"`
	Choice  *int   `json:"choice,omitempty"` // their answer to the question that is shown
}

// PlaceView is where the teacher is.
type PlaceView struct {
	Say string `json:"say"` // place
	Place
}

// Apart says how this server is to the others.
type Apart struct {
	Say       string `json:"say"`       // apart
	Apart     bool   `json:"apart"`     // it has lost them: what is shown is only what it has
	Elsewhere bool   `json:"elsewhere"` // another one owns the class, and so the clients of learners are there
}

// Dots has a letter for each learner: where they are, as a capital if they have answered the question that is shown. It
// is for teachers.
type Dots struct {
	Say  string `json:"say"` // dots
	Dots string `json:"dots"`
}

// Names has names of learners, by number. It is for teachers.
type Names struct {
	Say   string         `json:"say"` // names
	Names map[int]string `json:"names"`
}

// Board has the best at a task.
type Board struct {
	Say  string `json:"say"` // board
	Task string `json:"task"`
	Done int    `json:"done"` // how many have done it
	Rows []Row  `json:"rows"`
}

// Row is one of the best.
type Row struct {
	Who    int      `json:"who"`
	Name   string   `json:"name,omitempty"`
	Count  int      `json:"count"`
	AfterS int      `json:"after_s"`          // since the class has begun, in seconds
	Faults []string `json:"faults,omitempty"` // for teachers, who can play them
}

// mostRows is how many rows a board has.
const mostRows = 10

// About returns what everybody sees, or with more for teachers.
func (s *State) About(p *Presence, teacher bool) About {
	v := About{Say: "class", Name: s.Name, Learners: len(s.Learners), Calls: s.Calls, Lock: s.Lock,
		Ended: s.Ended}
	for _, where := range p.Of(len(s.Learners)) {
		if where == Here {
			v.Here++
		}
	}
	if q := s.Question(); q != nil && s.Shown {
		v.Question = q.view(len(s.Asked), teacher)
	}
	return v
}

func (a *Asked) view(number int, teacher bool) *QuestionView {
	v := &QuestionView{Number: number, Question: a.Question, Open: a.Open, Revealed: a.Revealed, Answers: a.Answers()}
	if teacher || a.Revealed {
		v.Counts = a.Counts()
	} else {
		v.Right = Unknown
	}
	return v
}

// You returns what a page's own reader sees.
func (s *State) You(who Party) You {
	v := You{Say: "you", Teacher: who.Teacher, Number: who.Learner}
	if l := s.learner(who.Learner); l != nil {
		v.Name = l.Name
	}
	if q := s.Question(); q != nil && s.Shown {
		if choice, ok := q.By(who.Learner); ok {
			v.Choice = &choice
		}
	}
	return v
}

// Dots returns a letter for each learner.
func (s *State) Dots(p *Presence) Dots {
	all := p.Of(len(s.Learners))
	if q := s.Question(); q != nil && s.Shown {
		for i := range all {
			if _, ok := q.By(i + 1); ok {
				all[i] -= 'a' - 'A'
			}
		}
	}
	return Dots{"dots", string(all)}
}

// NamesFrom returns the names that were given from one on, as Named counts them.
func (s *State) NamesFrom(from int) Names {
	v := Names{"names", map[int]string{}}
	for _, number := range s.Named[from:] {
		v.Names[number] = s.learner(number).Name
	}
	return v
}

// Board returns the best at a task, for teachers with their solutions.
func (s *State) Board(task string, teacher bool) Board {
	v := Board{Say: "board", Task: task, Rows: []Row{}}
	type found struct {
		of   *Learner
		best Best
	}
	var all []found
	for i := range s.Learners {
		for _, b := range s.Learners[i].Deeds {
			if b.Task == task {
				all = append(all, found{&s.Learners[i], b})
			}
		}
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.best.Count, b.best.Count), a.best.At.Compare(b.best.At),
			cmp.Compare(a.of.Number, b.of.Number))
	})
	v.Done = len(all)
	for _, f := range all[:min(len(all), mostRows)] {
		row := Row{Who: f.of.Number, Name: f.of.Name, Count: f.best.Count,
			AfterS: int(f.best.At.Sub(s.Begun).Seconds())}
		if teacher {
			row.Faults = f.best.Faults
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// say encodes a view.
func say(view any) []byte {
	text, err := json.Marshal(view)
	if err != nil {
		panic(err) // it has no value that JSON lacks
	}
	return text
}
