package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/recipes"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// linked is what a link shows.
type linked struct {
	address  string // of the same moment on a server of this version, from its root on
	what     string // the lesson or the recipe, in words
	scenario run.Scenario
	moment   link.Moment
	beside   string // the recipe of the run beside it, "" for none
	found    finding
}

// finding says whether a link shows what it was made from. Its text is the key of the page's words.
type finding string

// The findings.
const (
	unchecked  finding = "" // the link has no hash, or is of a file that isn't at hand
	asLinked   finding = "share.same"
	otherRun   finding = "share.differs"
	otherRuns  finding = "share.beside" // the one beside it
	otherTrace finding = "share.file"
)

func (f finding) words() string {
	if f == unchecked {
		return "Whether this version shows what the link was made from isn't known."
	}
	return uistrings.English().Say(string(f))
}

// readLinked reads a link, and runs what it is of to compare the hashes. The name of a trace may be empty.
func readLinked(ctx context.Context, text, trace string) (*linked, error) {
	a, err := link.ParseAddress(text)
	if err != nil {
		return nil, err
	}
	l := &linked{}
	if len(a.Query) > 0 {
		l.address = "?" + a.Query.Encode()
	}
	q := a.Query
	if l.moment, err = link.Take(q); err != nil {
		return nil, err
	}
	read := l.ofLab
	if a.Lesson != "" {
		read = func(ctx context.Context, q url.Values) error { return l.ofLesson(ctx, a, q) }
	}
	if err := read(ctx, q); err != nil {
		return nil, err
	}
	if a.Folder != uistrings.Source && slices.Contains(uistrings.Languages(), a.Folder) {
		l.address = "/" + a.Folder + l.address
	}
	switch {
	case l.moment.Trace != "":
		l.what = "the file " + l.moment.Trace
		return l, l.checkTrace(ctx, trace)
	case trace != "":
		return nil, errors.New("the link is of a run and not of a file: leave out --trace")
	}
	return l, l.check(ctx, q)
}

// ofLab reads what a link to the Lab says about its run.
func (l *linked) ofLab(_ context.Context, q url.Values) (err error) {
	l.address = "/lab" + l.address
	for _, name := range link.TaskNames {
		q.Del(name)
	}
	q.Set("recipe", cmp.Or(q.Get("recipe"), recipes.Default))
	l.moment.PutApart(q, run.IsParameter)
	l.scenario, err = room.Asked(q.Encode())
	l.what = "the Lab: " + q.Get("recipe")
	return err
}

// ofLesson reads what a link to a lesson says about its run.
func (l *linked) ofLesson(ctx context.Context, a link.Address, q url.Values) error {
	book, err := lessons.Open(ctx)
	if err != nil {
		return err
	}
	lesson, ok := book.Find(a.Lesson)
	if !ok {
		return fmt.Errorf("this version has no lesson %q", a.Lesson)
	}
	l.what = fmt.Sprintf("the lesson %q", lesson.Prose[lessons.Source].Title)
	l.address = "/lessons/" + lesson.Slug + l.address
	switch {
	case lesson.Step(a.Step) != nil:
		l.address += "#" + a.Step
		l.what += ", step " + a.Step
	case a.Step != "":
		l.what += fmt.Sprintf(", which has no step %q in this version", a.Step)
	}
	l.moment.PutApart(q, func(name string) bool { return name == "fault" })
	l.scenario = lesson.Scenario.WithDefaults()
	if n := len(q["fault"]); n > link.MaxFaults {
		return sentence.Error("bad.link.faults", sentence.Number(link.MaxFaults), sentence.Number(n))
	}
	faults, err := fault.ParseAll(q["fault"], l.scenario.Scope())
	l.scenario.Faults = slices.Concat(l.scenario.Faults, faults)
	return err
}

// check runs the scenario, and the one beside it, and compares the hashes.
func (l *linked) check(ctx context.Context, q url.Values) error {
	held, err := isSame(ctx, l.scenario, l.moment.Place)
	if err != nil {
		return err
	}
	if l.found = asLinked; !held {
		l.found = otherRun
	}
	b := l.moment.Beside
	other, err := b.Scenario(q)
	if err != nil {
		return err
	}
	if other != nil {
		sc, err := room.Asked(other.Encode())
		if err != nil {
			return sentence.Wrap(err, "bad.beside")
		}
		l.beside = sc.Command()
		held, err := isSame(ctx, sc, link.Place{Seq: b.Seq, Sum: b.Sum})
		if err != nil {
			return err
		}
		if !held && l.found == asLinked {
			l.found = otherRuns
		}
	}
	if l.moment.Sum == "" && l.found == asLinked {
		l.found = unchecked
	}
	return nil
}

// isSame reports whether a run is still the one that a place in a link was made from; without a hash it is.
func isSame(ctx context.Context, s run.Scenario, p link.Place) (bool, error) {
	log := link.Hash{UpTo: p.Seq}
	if p.Sum == "" {
		return true, s.Validate()
	}
	err := run.Sim(ctx, s, &log)
	return log.Sum() == p.Sum, err
}

// checkTrace compares a trace file with the one that the link was made from.
func (l *linked) checkTrace(ctx context.Context, name string) error {
	if name == "" || l.moment.Sum == "" {
		return nil
	}
	log := link.Hash{UpTo: l.moment.Seq}
	if _, err := readTrace(ctx, name, func(event.Header) event.Sink { return &log }); err != nil {
		return err
	}
	if l.found = asLinked; log.Sum() != l.moment.Sum {
		l.found = otherTrace
	}
	return nil
}
