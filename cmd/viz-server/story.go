package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/base/atomicfile"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/raster"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/story"
	"github.com/zkviz/zkviz/lessons"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

type storyCmd struct {
	What  string        `arg:"" name:"trace|lesson" help:"A trace file, or a lesson, like the-herd."`
	From  time.Duration `placeholder:"D" help:"Where the story begins, like 2.5s (default: at the run's start)."`
	To    time.Duration `placeholder:"D" help:"Where it ends (default: at the run's end)."`
	Event event.Seq     `placeholder:"N" help:"The number of an event: what led to it is drawn strong, and the rest pale."`
	Tall  bool          `help:"Let time run down instead of across, for a narrow picture."`
	Dark  bool          `help:"Draw in light colours on a dark ground."`
	Out   string        `short:"o" placeholder:"FILE" help:"Where to write the picture, as PNG if the name ends in .png (default: as SVG on standard output)."`
}

func (c *storyCmd) Run(term *terminal) error {
	if c.From < 0 || c.To != 0 && c.To <= c.From {
		return fmt.Errorf("--from, --to: %s to %s is no stretch of a run", c.From, c.To)
	}
	if err := checkFormat(c.Out); err != nil {
		return err
	}
	title, h, err := c.log(term.ctx)
	if err != nil {
		return err
	}
	if n := h.Len(); n == 0 || c.From > h.Event(n-1).At {
		return fmt.Errorf("--from: %s has no event from %s on", c.What, c.From)
	}
	o := story.Options{Words: uistrings.English(), Down: c.Tall, From: c.From, To: c.To}
	o.Width, o.Height = story.Size(c.Tall)
	p := story.Make(h, o)
	var cause *story.Cause
	if c.Event != 0 {
		if _, ok := h.Lookup(c.Event); !ok {
			return fmt.Errorf("--event: %s has %d events, and none has the number %d", c.What, h.Len(), c.Event)
		}
		cause = p.Cause(h, c.Event)
	}
	var f scene.Frame
	p.Draw(&f, themeOf(c.Dark), cause)
	return writePicture(term, c.Out, &f, title)
}

// log returns the log of a trace if a file has that name, else of a lesson's run.
func (c *storyCmd) log(ctx context.Context) (title string, h *view.History, err error) {
	_, err = os.Stat(c.What)
	switch {
	case err == nil:
		_, err = readTrace(ctx, c.What, func(header event.Header) event.Sink {
			h = view.NewHistoryFor(header)
			return h
		})
		return c.What, cmp.Or(h, &view.History{}), err
	case !errors.Is(err, fs.ErrNotExist):
		return "", nil, err
	}
	book, err := lessons.Open(ctx)
	if err != nil {
		return "", nil, err
	}
	lesson, ok := book.Find(c.What)
	if !ok {
		return "", nil, unknownLesson(book, c.What, c.What)
	}
	return lesson.Prose[lessons.Source].Title, book.RunOf(c.What).History(), nil
}

// writePicture writes a picture to a file or to standard output, in the format that the file's name says.
func writePicture(term *terminal, name string, f *scene.Frame, title string) (err error) {
	var out bytes.Buffer
	if isPNG(name) {
		err = raster.WritePNG(&out, f, pngScale)
	} else {
		err = scene.WriteSVG(&out, f, title)
	}
	if err != nil {
		return err
	}
	if name != "" && name != standardOutput {
		return atomicfile.Save(name, out.Bytes(), fileMode)
	}
	_, err = term.out.Write(out.Bytes())
	return err
}
