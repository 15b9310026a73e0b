//go:build js && wasm

package bridge

import (
	"github.com/zkviz/zkviz/engine/run/link"
)

// share returns the query of a link to what is shown, or "". A live run can't be repeated: its link is to the scenario
// on the simulator.
func (b *Bridge) share() string {
	p, lesson := b.player, b.source.address.Lesson != ""
	history := p.Log.Shown().History()
	switch {
	case history == nil:
		return ""
	case b.source.file:
		return b.shareFile()
	case b.source.query == "", p.Log.Run().Live() && lesson:
		return ""
	case p.Log.Run().Live():
		return b.source.query
	}
	m := b.moment()
	scenario := b.source.query
	if lesson { // it has its own scenario
		scenario = ""
	}
	if b.Beside.second != nil {
		m.Beside = b.Beside.linked(lesson)
	}
	return Link(scenario, p.Log.Branches(), p.Log.Branch(), m)
}

// linked returns the second run for a link: what differs from the first, or all of it in a lesson.
func (d *Beside) linked(lesson bool) link.Beside {
	one, two, query := d.source.player, d.second.player, d.source.query
	if !d.second.pair.Twin() {
		query = d.second.wanted
	}
	other := WithFaults(query, faultsOf(two.Log.Branches(), two.Log.Branch()))
	own := WithFaults(d.source.query, faultsOf(one.Log.Branches(), one.Log.Branch()))
	if lesson {
		own = nil
	}
	l := link.Beside{What: Differs(own, other), InStep: string(d.inStep)}
	if history := two.Log.Shown().History(); history != nil {
		l.Seq = two.Head.Seq()
		l.Sum = link.Sum(history.Lookup, l.Seq)
	}
	return l
}

// moment returns the moment that is shown, for a link.
func (b *Bridge) moment() link.Moment {
	p := b.player
	m := link.Moment{Place: link.Place{Set: true, At: p.Head.At(), Seq: p.Head.Seq()}, Select: p.Selected()}
	m.Sum = link.Sum(p.Log.Shown().History().Lookup, m.Seq)
	return m
}

// shareFile returns the query of a link to a moment of the reader's file, which the next reader must have, too.
func (b *Bridge) shareFile() string {
	m := b.moment()
	m.Trace = b.source.name
	recipe := ""
	if b.source.ofFile() == ownFile {
		recipe = "recipe=" + b.player.Log.Run().Header.Recipe
	}
	return link.Join(recipe, m.Query())
}

// sayLink says what can't be shown of the link that the page was opened by.
func (s *source) sayLink() {
	m, say := s.address.Link, s.page.panes.Say
	switch {
	case s.address.Bad != nil:
		s.page.remark = say("link.bad", s.page.panes.Error(s.address.Bad))
	case len(m.Unknown) > 0:
		s.page.remark = s.page.panes.Says(m.LeftOut())
	}
	if m.Trace != "" && !s.address.Reopens {
		s.page.wanted = say("link.file", m.Trace, tenths(m.At))
	}
}

// toLinked shows the moment of a file that a link leads to, once the reader has opened one.
func (s *source) toLinked() {
	m := s.address.Link
	if m.Trace == "" {
		return
	}
	s.unchecked = true
	s.player.Select(m.Select)
	s.player.Show(m.At, m.Seq)
}

// leaveOutFaults shows the place without the faults that lead to its branch: one of them was refused.
func (s *source) leaveOutFaults() {
	s.player.Show(s.back.place.At, 0)
	s.back, s.unchecked = nil, false
	s.page.addRemark(s.page.panes.Say("link.without"))
	s.page.mark("link", "differs")
}

// verify tells the page, once the moment in a link is shown, whether it still equals the one linked. If it doesn't, the
// time decides what is shown.
func (b *Bridge) verify() {
	s, p := &b.source, b.player
	m := s.address.Link
	if !s.unchecked || s.file != (m.Trace != "") || s.back != nil || p.Waiting() {
		return
	}
	holds, known := Holds(p.Log.Shown(), m.Place)
	if !known {
		return
	}
	s.unchecked = false
	found := "same"
	switch {
	case holds:
	case s.file:
		found = "file"
	default:
		found = "differs"
	}
	b.page.mark("link", found)
	if !holds {
		b.page.addRemark(b.page.panes.Say("share." + found))
		p.Show(m.At, 0)
		b.wake()
	}
}

// verify tells the page whether the second run still equals the one linked.
func (d *Beside) verify() {
	l := &d.source.address.Link.Beside
	if d.second == nil || d.source.address.Beside != "" {
		return
	}
	if holds, known := Holds(d.second.player.Log.Shown(), link.Place{Seq: l.Seq, Sum: l.Sum}); known {
		l.Sum = ""
		if !holds {
			d.page.mark("link", "beside")
			d.page.addRemark(d.page.panes.Say("share.beside"))
		}
	}
}
