package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/lessons"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

type renderCmd struct {
	What string         `arg:"" name:"trace|lesson[/step]" help:"A trace file; or a lesson, and optionally one of its steps, like the-herd/release (default: the first step)."`
	At   *time.Duration `placeholder:"D" help:"The moment of the run to draw, like 2.5s (default: the step's moment, or the end of a trace)."`
	Tall bool           `help:"Draw it as on an upright phone."`
	Dark bool           `help:"Draw in light colours on a dark ground."`
	Out  string         `short:"o" placeholder:"FILE" help:"Where to write the picture, as PNG if the name ends in .png (default: as SVG on standard output)."`
}

// The picture's size in CSS px, as of the stage on a laptop.
const (
	pictureWidth  = 1120
	pictureHeight = 630
)

// pngScale is how many pixels a PNG has for each of the SVG's.
const pngScale = 2

// picture is a moment to draw.
type picture struct {
	title   string
	focus   []string
	without mark.Figures
	at      time.Duration
	state   *view.State

	lead  *player.Player // set for two runs side by side, else nil
	pair  *player.Pair
	names [2]string // of the two runs
	rule  string    // that the step is about, "" for none
}

func (c *renderCmd) Run(term *terminal) error {
	if c.At != nil && *c.At < 0 {
		return fmt.Errorf("--at: %s is before the run's start", *c.At)
	}
	if err := checkFormat(c.Out); err != nil {
		return err
	}
	p, err := c.picture(term.ctx)
	if err != nil {
		return err
	}
	var frame scene.Frame
	o := scene.Options{
		Width: pictureWidth, Height: pictureHeight, Theme: themeOf(c.Dark), Words: uistrings.English(), Focus: p.focus,
		Without: p.without, Still: c.At == nil, Stood: p.at,
	}
	if c.Tall {
		width, height := page.Tall.Size(p.pair != nil)
		o.Width, o.Height = float64(width), float64(height)
	}
	if p.pair != nil {
		frame.DrawBeside(panes.Pictures(p.lead, p.pair, p.names, p.rule, o.Words.Say), o)
	} else {
		frame.Draw(p.state, p.at, o)
	}
	return writePicture(term, c.Out, &frame, p.title)
}

// themeOf returns the colours of a picture.
func themeOf(dark bool) display.Theme {
	if dark {
		return display.Dark()
	}
	return display.Light()
}

// isPNG reports whether a picture's file is a PNG rather than an SVG.
func isPNG(name string) bool { return strings.EqualFold(filepath.Ext(name), ".png") }

// checkFormat refuses file names that promise another format.
func checkFormat(name string) error {
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".eps", ".mp4", ".webm":
		stem := strings.TrimSuffix(name, filepath.Ext(name))
		return fmt.Errorf("-o: pictures are SVG or PNG, and the name %s doesn't say so: name it %s.svg or %[2]s.png",
			name, stem)
	}
	return nil
}

// picture returns the picture of a trace if a file has that name, else of a lesson.
func (c *renderCmd) picture(ctx context.Context) (picture, error) {
	_, err := os.Stat(c.What)
	if err == nil {
		return c.tracePicture(ctx)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return picture{}, err
	}
	return c.lessonPicture(ctx)
}

func (c *renderCmd) tracePicture(ctx context.Context) (picture, error) {
	f := stateSink{until: c.At, state: view.New()}
	_, err := readTrace(ctx, c.What, func(h event.Header) event.Sink {
		f.state = view.NewFor(h)
		return &f
	})
	return picture{title: c.What, at: f.pictureTime(), state: f.state}, cmp.Or(err, f.checkEnd())
}

func (c *renderCmd) lessonPicture(ctx context.Context) (picture, error) {
	book, err := lessons.Open(ctx)
	if err != nil {
		return picture{}, err
	}
	return c.pictureIn(book)
}

// pictureIn returns the picture of a lesson in the book.
func (c *renderCmd) pictureIn(book *lessons.Book) (picture, error) {
	slug, anchor, _ := strings.Cut(c.What, "/")
	lesson, ok := book.Find(slug)
	if !ok {
		return picture{}, unknownLesson(book, c.What, slug)
	}
	log := book.RunOf(lesson.Slug)
	p := picture{title: lesson.Prose[lessons.Source].Title}
	if anchor == "" && c.At == nil {
		anchor = lesson.Steps[0].Anchor
	}
	if anchor != "" {
		step := lesson.Step(anchor)
		if step == nil {
			return p, unknownStep(lesson, anchor)
		}
		p.focus, p.without = step.Focus, mark.FiguresBut(step.Shows)
		if c.At == nil {
			p.lead, p.pair = step.Pair(log)
			words, _ := book.Page(lesson.Slug, lessons.Source) // the lesson exists
			p.names, p.rule, _ = player.RunNames(words.Step(anchor).Names)
		}
	}
	if state, pos, ok := log.StateAt(anchor); ok && c.At == nil {
		p.at, p.state = pos.At, state
		return p, nil
	}
	f := stateSink{until: c.At, state: view.NewFor(log.Log.Header)}
	for _, e := range log.Log.Events {
		f.Append(e)
	}
	p.at, p.state = f.pictureTime(), f.state
	return p, f.checkEnd()
}

func unknownLesson(book *lessons.Book, what, slug string) error {
	var known []string
	for _, l := range book.Lessons {
		known = append(known, l.Slug)
	}
	if near, ok := run.Nearest(slug, known); ok {
		return fmt.Errorf("there is no file and no lesson %q; did you mean %s?", what, near)
	}
	return fmt.Errorf("there is no file and no lesson %q; the lessons are %s", what, strings.Join(known, ", "))
}

func unknownStep(l *lessons.Lesson, anchor string) error {
	var known []string
	for _, s := range l.Steps {
		known = append(known, s.Anchor)
	}
	return fmt.Errorf("lesson %s has no step %q; its steps are %s", l.Slug, anchor, strings.Join(known, ", "))
}

// stateSink is a Sink that folds events into a state, up to the time until if given.
type stateSink struct {
	until *time.Duration
	state *view.State
	end   time.Duration // the last event's time
}

// Append implements event.Sink.
func (f *stateSink) Append(e event.Event) {
	f.end = max(f.end, e.At)
	if f.until == nil || e.At <= *f.until {
		f.state.Apply(e)
	}
}

// pictureTime returns the time of the picture.
func (f *stateSink) pictureTime() time.Duration {
	if f.until != nil {
		return *f.until
	}
	return f.state.At
}

// checkEnd returns an error if the log ends before the requested time.
func (f *stateSink) checkEnd() error {
	if f.until != nil && *f.until > f.end {
		return fmt.Errorf("--at: %s is after the run's end, at %s", *f.until, f.end)
	}
	return nil
}
