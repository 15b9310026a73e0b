package web

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/wasm/scene"
)

// The pictures' size, CSS px, as the pages show them.
const (
	pictureWidth  = 760
	pictureHeight = 470
)

// pictures are the lessons' steps as SVG, drawn when first asked for. There are as many as steps, twice.
type pictures struct {
	book *lessons.Book

	mu    sync.Mutex
	drawn map[pictureKey]content
}

type pictureKey struct {
	slug, anchor string
	dark         bool
}

func newPictures(book *lessons.Book) *pictures {
	return &pictures{book: book, drawn: map[pictureKey]content{}}
}

// of is a step's picture; false if there is no such step.
func (p *pictures) of(key pictureKey) (content, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.drawn[key]; ok {
		return c, true, nil
	}
	lesson, ok := p.book.Find(key.slug)
	if !ok {
		return content{}, false, nil
	}
	step := lesson.Step(key.anchor)
	if step == nil {
		return content{}, false, nil
	}
	svg, err := draw(p.book.RunOf(key.slug), step, key.dark)
	if err != nil {
		return content{}, true, fmt.Errorf("draw %s/%s: %w", key.slug, key.anchor, err)
	}
	c := pack("image/svg+xml", svg, 6)
	p.drawn[key] = c
	return c, true, nil
}

// draw shows the moment at which a step stops.
func draw(r *lessons.Run, step *lessons.Step, dark bool) ([]byte, error) {
	theme := scene.Light()
	if dark {
		theme = scene.Dark()
	}
	state := view.NewFor(r.Log.Header)
	at := state.At
	for _, pos := range r.Positions {
		if pos.Anchor == step.Anchor {
			at = pos.At
		}
	}
	for _, e := range r.Log.Events {
		if e.At > at {
			break
		}
		state.Apply(e)
	}
	var f scene.Frame
	f.Draw(state, at, scene.Options{Width: pictureWidth, Height: pictureHeight, Theme: theme, Still: true, Focus: step.Focus})
	var svg bytes.Buffer
	if err := scene.WriteSVG(&svg, &f, step.Anchor); err != nil {
		return nil, err
	}
	return svg.Bytes(), nil
}
