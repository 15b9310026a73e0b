package page

import (
	"strings"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/lessons"
)

// TeachProps is the page for teachers.
type TeachProps struct {
	Frame
	Hour  lessons.Hour // the first class
	Weeks []lessons.Week
	Parts []lessons.Part // the whole course
}

// HourProps is the plan of a class with a lesson.
type HourProps struct {
	Frame
	Hour lessons.Hour
}

// AnswersProps is the answer key of a lesson, or of the whole course.
type AnswersProps struct {
	Frame
	Lessons []*lessons.Page
	Whole   bool
}

// head returns the title of the document.
func (p AnswersProps) head() string {
	if p.Whole {
		return p.Say("answers.all.head")
	}
	return p.Say("answers.head", p.Lessons[0].Title)
}

// hasKey reports whether a step has anything that an answer key is about.
func hasKey(s lessons.PageStep) bool {
	return s.Question != nil || s.Repair != nil || s.Order != nil || s.Challenge != nil
}

// contents says how many questions and tasks a lesson has. Repairs and lines to put in order are tasks, too.
func (f Frame) contents(l *lessons.Page) string {
	questions, tasks := 0, 0
	for _, s := range l.Steps {
		for _, has := range []bool{s.Challenge != nil, s.Repair != nil, s.Order != nil} {
			if has {
				tasks++
			}
		}
		if s.Question != nil {
			questions++
		}
	}
	return f.Say("teach.contents", itoa(questions), itoa(tasks))
}

// firstQuestion returns the step with a lesson's first question, and otherwise its first step.
func firstQuestion(l *lessons.Page) lessons.PageStep {
	for _, s := range l.Steps {
		if s.Question != nil {
			return s
		}
	}
	return l.Steps[0]
}

// stepOf returns the address of a step.
func (f Frame) stepOf(l *lessons.Page, anchor string) templ.SafeURL {
	return f.to("/lessons/" + l.Slug + "#" + anchor)
}

// solved returns the address of a task's step with its solution done.
func (f Frame) solved(l *lessons.Page, s lessons.PageStep) templ.SafeURL {
	var parts []string
	m := link.Moment{Place: link.Place{Set: true}}
	for _, does := range s.Challenge.Solution {
		parts = append(parts, "fault="+query(does.String()))
		m.At = does.At
	}
	return f.to("/lessons/" + l.Slug + "?" + link.Join(append(parts, m.Query())...) + "#" + s.Anchor)
}

// deed says what to do to whom, and when, in the words of the page's menus.
func (f Frame) deed(does fault.Fault) string {
	who, label := event.Actor(does.Client).Letter(), "fault."+does.Kind.String()
	var args []string
	switch does.Kind.Target() {
	case fault.ToServer:
		who, label = f.Say("log.zk"), "fault.server."+does.Kind.String()
	case fault.ToOneServer:
		who, label = f.server(does.Server), "fault.server."+does.Kind.String()
	case fault.ToSides:
		who, label = servers(f, does.A), "fault.server."+does.Kind.String()
	case fault.ToClientAt:
		label, args = "fault.client.server", []string{itoa(does.Server)}
	case fault.ToMessage:
		m := does.Message
		who = f.Say("menu.letter", m.Op.String(), itoa(m.From.Number()), itoa(m.To.Number()))
		label = "fault.message." + does.Kind.String()
	case fault.ToNode:
		who, label = event.Node(does.Node).String(), "fault.node."+does.Kind.String()
	}
	what := strings.TrimSuffix(f.Say(label, args...), "…")
	if !does.Kind.Lasts() {
		return f.Say("answers.deed", number(does.At), who, what)
	}
	return f.Say("answers.deed.lasts", number(does.At), who, what, number(does.For))
}

func (f Frame) server(n int) string { return f.Say("log.server", itoa(n)) }

// servers names the servers of one side.
func servers(f Frame, side fault.Servers) string {
	var names []string
	for n := 1; n <= fault.MaxServer; n++ {
		if side.Has(n) {
			names = append(names, f.server(n))
		}
	}
	return strings.Join(names, ", ")
}
