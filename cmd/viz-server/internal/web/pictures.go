package web

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/zkviz/zkviz/engine/room"
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
	book  *lessons.Book
	turns *room.Turns // those of whatever is made for a request

	mu    sync.Mutex
	known map[pictureKey]*picture // those that there are
}

type pictureKey struct {
	slug, anchor string
	dark         bool
}

// picture is drawn by the first who gets a turn to; all others wait for it.
type picture struct {
	once  sync.Once
	drawn chan struct{} // closed when there is content or err
	content
	err error
}

func newPictures(book *lessons.Book, turns *room.Turns) *pictures {
	return &pictures{book: book, turns: turns, known: map[pictureKey]*picture{}}
}

// of is a step's picture; false if there is no such step.
func (p *pictures) of(ctx context.Context, who room.Asker, key pictureKey) (content, bool, error) {
	lesson, ok := p.book.Find(key.slug)
	if !ok {
		return content{}, false, nil
	}
	step := lesson.Step(key.anchor)
	if step == nil {
		return content{}, false, nil
	}
	pic := p.find(key)
	select {
	case <-pic.drawn:
		return pic.content, true, pic.err
	default:
	}
	leave, err := p.turns.Enter(ctx, who)
	if err != nil {
		return content{}, true, err
	}
	defer leave()
	pic.once.Do(func() {
		defer close(pic.drawn)
		svg, err := draw(p.book.RunOf(key.slug), step, key.dark)
		if err != nil {
			pic.err = fmt.Errorf("draw %s/%s: %w", key.slug, key.anchor, err)
			return
		}
		pic.content = pack("image/svg+xml", svg, 6)
	})
	return pic.content, true, pic.err
}

func (p *pictures) find(key pictureKey) *picture {
	p.mu.Lock()
	defer p.mu.Unlock()
	pic, ok := p.known[key]
	if !ok {
		pic = &picture{drawn: make(chan struct{})}
		p.known[key] = pic
	}
	return pic
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
