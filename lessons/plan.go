package lessons

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
)

// Plans for teachers are made from the course: a file says which lesson the first class has and how long it is, and how
// many weeks a semester has. All else follows from the lessons by the times and rules below.

// plansFile has what the plans can't take from the course.
const plansFile = "plans.json"

type plans struct {
	Hour struct {
		Lesson  string `json:"lesson"`
		Minutes int    `json:"minutes"`
	} `json:"hour"`
	Semester struct {
		Weeks  int `json:"weeks"`
		Repeat int `json:"repeat"` // the last weeks, which only repeat
	} `json:"semester"`
}

// readPlans reads and checks the file.
func readPlans(fsys fs.FS, ls []Lesson) (p plans, err error) {
	data, err := readLimited(fsys, plansFile)
	if err != nil {
		return p, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return p, fmt.Errorf("%s: %w", plansFile, err)
	}
	known, parts := false, 0
	for i := range ls {
		known = known || ls[i].Slug == p.Hour.Lesson
		if i == 0 || ls[i].Part != ls[i-1].Part {
			parts++
		}
	}
	weeks := p.Semester.Weeks - p.Semester.Repeat
	switch {
	case !known:
		return p, fmt.Errorf("%s: hour: there is no lesson %q", plansFile, p.Hour.Lesson)
	case p.Hour.Minutes < 20 || p.Hour.Minutes > 180:
		return p, fmt.Errorf("%s: hour: minutes must be between 20 and 180, not %d", plansFile, p.Hour.Minutes)
	case p.Semester.Repeat < 0 || weeks < parts || weeks > len(ls):
		return p, fmt.Errorf("%s: semester: without those that repeat, weeks must be between %d, one for each part, and %d, "+
			"not %d", plansFile, parts, len(ls), weeks)
	}
	return p, nil
}

// How many minutes a class spends on a question, which is read, voted on, talked about with a neighbour, and shown; on
// a task, which gets what is left up to LongestTask; and on all else.
const (
	AskMinutes  = 4
	TaskMinutes = 8
	LongestTask = 15

	joinMinutes  = 4 // everybody opens the address
	stepMinutes  = 1
	tryMinutes   = 1 // more, for figures or a value to choose
	mendMinutes  = 4 // a repair, or lines to put in order
	boardMinutes = 2
	endMinutes   = 2
)

// Does says what a class does for a while. Pages have words for its values.
type Does string

// What a class does.
const (
	DoesJoin  Does = "join"
	DoesSee   Does = "see"
	DoesAsk   Does = "ask"
	DoesMend  Does = "mend"
	DoesOrder Does = "order"
	DoesTask  Does = "task"
	DoesBoard Does = "board"
	DoesEnd   Does = "end"
)

// Hour is a plan of a class with one lesson, minute by minute.
type Hour struct {
	Lesson  *Page
	Minutes int
	Slots   []Slot // they fill the minutes, unless the lesson takes more
}

// Slot is what a class does for a while. Steps are those of the lesson that it is about; only DoesSee has several.
type Slot struct {
	From, Minutes int
	Does          Does
	Steps         []*PageStep
}

// To returns the minute at which it ends.
func (s Slot) To() int { return s.From + s.Minutes }

// FirstHour returns the plan of a class that has never seen any of this.
func (b *Book) FirstHour(lang string) Hour {
	p, _ := b.Page(b.plans.Hour.Lesson, lang)
	return b.HourOf(p)
}

// HourOf returns the plan of a class with a lesson.
func (b *Book) HourOf(p *Page) Hour {
	h := Hour{Lesson: p, Minutes: b.plans.Hour.Minutes}
	h.add(DoesJoin, joinMinutes, nil)
	for i := range p.Steps {
		h.addStep(&p.Steps[i])
	}
	h.end()
	h.fill()
	return h
}

// addStep adds what a class does at a step.
func (h *Hour) addStep(s *PageStep) {
	before := len(h.Slots)
	if s.Question != nil {
		h.add(DoesAsk, AskMinutes, s)
	}
	if s.Challenge != nil {
		h.add(DoesTask, TaskMinutes, s)
		h.add(DoesBoard, boardMinutes, s)
	}
	if s.Repair != nil {
		h.add(DoesMend, mendMinutes, s)
	}
	if s.Order != nil {
		h.add(DoesOrder, mendMinutes, s)
	}
	minutes := stepMinutes
	if s.Try != nil || s.Vary != nil {
		minutes += tryMinutes
	}
	if len(h.Slots) == before {
		h.add(DoesSee, minutes, s)
	}
}

// end adds the end. A lesson's last step, which says what one can explain now, is part of it.
func (h *Hour) end() {
	last := &h.Slots[len(h.Slots)-1]
	if n := len(last.Steps) - 1; last.Does == DoesSee {
		step := last.Steps[n]
		if last.Steps, last.Minutes = last.Steps[:n], last.Minutes-stepMinutes; n == 0 {
			h.Slots = h.Slots[:len(h.Slots)-1]
		}
		h.add(DoesEnd, endMinutes+stepMinutes, step)
		return
	}
	h.add(DoesEnd, endMinutes, nil)
}

// add adds a slot, or steps to one where the class only looks on.
func (h *Hour) add(does Does, minutes int, s *PageStep) {
	if last := len(h.Slots) - 1; does == DoesSee && h.Slots[last].Does == DoesSee {
		h.Slots[last].Steps = append(h.Slots[last].Steps, s)
		h.Slots[last].Minutes += minutes
		return
	}
	slot := Slot{Does: does, Minutes: minutes}
	if s != nil {
		slot.Steps = []*PageStep{s}
	}
	h.Slots = append(h.Slots, slot)
}

// fill gives the task and then the end what is left of the time, and says when each slot begins.
func (h *Hour) fill() {
	left := h.Minutes
	for _, s := range h.Slots {
		left -= s.Minutes
	}
	for i := range h.Slots {
		s := &h.Slots[i]
		switch {
		case s.Does == DoesTask:
			more := max(0, min(left, LongestTask-s.Minutes))
			s.Minutes, left = s.Minutes+more, left-more
		case s.Does == DoesEnd:
			s.Minutes += max(0, left)
		}
		if i > 0 {
			s.From = h.Slots[i-1].To()
		}
	}
}

// Week is a week of a semester. One of the last weeks, which only repeat, has no lessons.
type Week struct {
	Number   int
	Together *Page   // the lesson of the class
	Home     []*Page // those that learners do by themselves
	Ends     *Part   // the part that ends in this week, nil for none
}

// Minutes returns how long the lessons at home take.
func (w *Week) Minutes() (n int) {
	for _, l := range w.Home {
		n += l.Minutes
	}
	return n
}

// Semester returns the course week by week. No week has lessons of two parts: each part has as many weeks as its length
// asks for, and its lessons are spread over them.
func (b *Book) Semester(lang string) (all []Week) {
	parts := b.Parts(lang)
	weeks := weeksOf(parts, b.plans.Semester.Weeks-b.plans.Semester.Repeat)
	for i := range parts {
		ls := parts[i].Lessons
		for n := range weeks[i] {
			of := ls[n*len(ls)/weeks[i] : (n+1)*len(ls)/weeks[i]]
			w := Week{Number: len(all) + 1, Together: of[0], Home: of[1:]}
			if n == weeks[i]-1 {
				w.Ends = &parts[i]
			}
			all = append(all, w)
		}
	}
	for range b.plans.Semester.Repeat {
		all = append(all, Week{Number: len(all) + 1})
	}
	return all
}

// weeksOf shares weeks among parts: one each, and every further one to the part with the longest weeks.
func weeksOf(parts []Part, weeks int) []int {
	all := make([]int, len(parts))
	for i := range all {
		all[i] = 1
	}
	for range weeks - len(parts) {
		most := 0
		for i := range parts {
			longer := parts[i].Minutes()*all[most] > parts[most].Minutes()*all[i]
			if full := all[most] == len(parts[most].Lessons); (longer || full) && all[i] < len(parts[i].Lessons) {
				most = i
			}
		}
		all[most]++
	}
	return all
}
