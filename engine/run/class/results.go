package class

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Results are what a teacher saves of a class.
type Results struct {
	Class     string           `json:"class"`
	Begun     time.Time        `json:"begun"`
	Learners  []LearnerResult  `json:"learners"`
	Questions []QuestionResult `json:"questions"`
}

// LearnerResult is what a learner has done.
type LearnerResult struct {
	Number int          `json:"number"`
	Name   string       `json:"name,omitempty"`
	Joined time.Time    `json:"joined"`
	Tasks  []TaskResult `json:"tasks,omitempty"`
}

// TaskResult is a learner's best try at a task.
type TaskResult struct {
	Deed
	At time.Time `json:"at"`
}

// QuestionResult is a question that was asked, with its answers.
type QuestionResult struct {
	Number int `json:"number"`
	Question
	Revealed bool           `json:"revealed"`
	Counts   []int          `json:"counts"`
	Answers  []AnswerResult `json:"answers"`
}

// AnswerResult is a learner's last answer.
type AnswerResult struct {
	Who     int   `json:"who"`
	Choice  int   `json:"choice"`          // from 0, as Right
	Correct *bool `json:"right,omitempty"` // nil if no answer is the right one
}

// Results returns what a teacher saves of a class.
func (s *State) Results() Results {
	r := Results{Class: s.Name, Begun: s.Begun.UTC(), Learners: []LearnerResult{}, Questions: []QuestionResult{}}
	for i := range s.Learners {
		l := &s.Learners[i]
		row := LearnerResult{Number: l.Number, Name: l.Name, Joined: l.Joined.UTC()}
		for _, b := range l.Deeds {
			row.Tasks = append(row.Tasks, TaskResult{b.Deed, b.At.UTC()})
		}
		r.Learners = append(r.Learners, row)
	}
	for i, q := range s.Asked {
		row := QuestionResult{Number: i + 1, Question: q.Question, Revealed: q.Revealed, Counts: q.Counts(),
			Answers: []AnswerResult{}}
		for number := range len(s.Learners) {
			if choice, ok := q.By(number + 1); ok {
				row.Answers = append(row.Answers, AnswerResult{number + 1, choice, q.correct(choice)})
			}
		}
		r.Questions = append(r.Questions, row)
	}
	return r
}

// correct reports whether a choice is the right one, or nil if there is none.
func (q Question) correct(choice int) *bool {
	if q.Right == Unknown {
		return nil
	}
	is := choice == q.Right
	return &is
}

// label returns a choice's words, or its number, from 1, if they are on a lesson's page.
func (q Question) label(choice int) string {
	if choice < len(q.Words) {
		return q.Words[choice]
	}
	return strconv.Itoa(choice + 1)
}

// WriteCSV writes the results as a table with a row for each learner: who it is, then for each question the choice and
// whether it is right, then for each task the fewest actions. The first row has the names of columns.
func (r *Results) WriteCSV(w io.Writer) error {
	rows := [][]string{{"number", "name", "joined"}}
	for _, l := range r.Learners {
		rows = append(rows, []string{strconv.Itoa(l.Number), l.Name, l.Joined.Format(time.RFC3339)})
	}
	column := func(name string, values map[int]string) {
		rows[0] = append(rows[0], name)
		for i, l := range r.Learners {
			rows[i+1] = append(rows[i+1], values[l.Number])
		}
	}
	for _, q := range r.Questions {
		choices, right := map[int]string{}, map[int]string{}
		for _, a := range q.Answers {
			choices[a.Who] = q.label(a.Choice)
			if a.Correct != nil {
				right[a.Who] = map[bool]string{true: "yes", false: "no"}[*a.Correct]
			}
		}
		column(fmt.Sprintf("question %d: %s", q.Number, q.ID+q.Text), choices)
		column(fmt.Sprintf("question %d: right", q.Number), right)
	}
	for _, task := range r.tasks() {
		column("actions: "+task, r.counts(task))
	}
	for _, row := range rows {
		for i := range row {
			row[i] = cell(row[i])
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// tasks returns the tasks that somebody has done, in the order of learners.
func (r *Results) tasks() (all []string) {
	seen := map[string]bool{}
	for _, l := range r.Learners {
		for _, t := range l.Tasks {
			if !seen[t.Task] {
				seen[t.Task] = true
				all = append(all, t.Task)
			}
		}
	}
	return all
}

// counts returns the actions that each learner has needed for a task.
func (r *Results) counts(task string) map[int]string {
	all := map[int]string{}
	for _, l := range r.Learners {
		for _, t := range l.Tasks {
			if t.Task == task {
				all[l.Number] = strconv.Itoa(t.Count)
			}
		}
	}
	return all
}

// cell returns a text that no spreadsheet takes for a formula.
func cell(text string) string {
	if strings.ContainsAny(text[:min(len(text), 1)], "=+-@\t\r") {
		return "'" + text
	}
	return text
}
