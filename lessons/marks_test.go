package lessons_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/lessons"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// stages are the options for the scene's golden pictures.
var stages = []scene.Options{
	{Width: 1024, Height: 576, Theme: display.Light()},
	{Width: 360, Height: 300, Theme: display.Dark(), Still: true},
	{Width: 1920, Height: 1080, Theme: display.Dark()},
	{Width: 390, Height: 620, Theme: display.Light()},
}

// TestQuestionsCanBeSeen finds the marks of each question in the picture that the stage shows when it is asked, at
// all sizes, with nothing over them. With SCENE_OUT=DIR it writes the pictures there.
func TestQuestionsCanBeSeen(t *testing.T) {
	book, err := lessons.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range book.Lessons {
		l := &book.Lessons[i]
		for _, s := range l.Steps {
			if s.Question == nil {
				continue
			}
			t.Run(l.Slug+"/"+s.Anchor, func(t *testing.T) { seen(t, l.Slug, &s, book.RunOf(l.Slug)) })
		}
	}
}

func seen(t *testing.T, slug string, s *lessons.Step, r *lessons.Run) {
	state, pos, ok := r.StateAt(s.Anchor)
	if !ok {
		t.Fatal("the step has no place")
	}
	for k, o := range stages {
		o.Words, o.Focus, o.Stood = uistrings.English(), s.Focus, pos.At
		o.Without = mark.FiguresBut(s.Shows)
		var layout scene.Layout
		var f scene.Frame
		f.Clear(o.Width, o.Height, o.Theme.Paper)
		plan := layout.Plan(state, pos.At, o)
		f.Paint(plan, 0, 0)
		save(t, fmt.Sprintf("%s-%s-%d.svg", slug, s.Anchor, k), &f)
		marks := plan.Marks()
		for _, pattern := range s.Question.Marks {
			hidden := "there is none"
			for _, m := range marks {
				if !m.Is(pattern) {
					continue
				}
				if hidden = f.Hidden(m); hidden == "" {
					break
				}
			}
			if hidden != "" {
				t.Errorf("%.0f×%.0f: %s: %s", o.Width, o.Height, pattern, hidden)
			}
		}
		if t.Failed() || os.Getenv("MARKS") != "" {
			t.Log(o.Width, listed(marks, &f))
		}
	}
}

// listed returns the visible marks.
func listed(marks []mark.Mark, f *scene.Frame) (list []string) {
	for _, m := range marks {
		if s := m.String(); f.Hidden(m) == "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	slices.Sort(list)
	return list
}

func save(t *testing.T, name string, f *scene.Frame) {
	dir := os.Getenv("SCENE_OUT")
	if dir == "" {
		return
	}
	file, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := scene.WriteSVG(file, f, name); err != nil {
		t.Error(err)
	}
}
