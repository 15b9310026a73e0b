package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/room"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/static/strings/words"
	"github.com/zkviz/zkviz/wasm/scene"
)

// The pictures' size, CSS px, as the pages show them.
const (
	pictureWidth  = 760
	pictureHeight = 470
)

// pictures are the lessons' steps as SVG, drawn when first asked for. There are as many as steps, twice in each
// language.
type pictures struct {
	book  *lessons.Book
	words map[page.Lang]words.Words
	turns *room.Turns // those of whatever is made for a request

	mu    sync.Mutex
	known map[pictureKey]*picture // those that there are
}

type pictureKey struct {
	lang         page.Lang
	slug, anchor string
	dark         bool
}

// picture is drawn by the first who gets a turn to; all others wait for it.
type picture struct {
	once  sync.Once
	drawn chan struct{} // closed when there is content or err
	*content
	err error
}

func newPictures(book *lessons.Book, words map[page.Lang]words.Words, turns *room.Turns) *pictures {
	return &pictures{book: book, words: words, turns: turns, known: map[pictureKey]*picture{}}
}

// of is a step's picture; false if there is no such step.
func (p *pictures) of(ctx context.Context, who room.Asker, key pictureKey) (*content, bool, error) {
	lesson, ok := p.book.Find(key.slug)
	if !ok {
		return nil, false, nil
	}
	step := lesson.Step(key.anchor)
	if step == nil {
		return nil, false, nil
	}
	pic := p.find(key)
	select {
	case <-pic.drawn:
		return pic.content, true, pic.err
	default:
	}
	leave, err := p.turns.Enter(ctx, who)
	if err != nil {
		return nil, true, err
	}
	defer leave()
	pic.once.Do(func() {
		defer close(pic.drawn)
		svg, err := p.draw(key, step)
		if err != nil {
			pic.err = fmt.Errorf("draw %s/%s: %w", key.slug, key.anchor, err)
			return
		}
		pic.content = newContent("image/svg+xml", svg, 6)
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
func (p *pictures) draw(key pictureKey, step *lessons.Step) ([]byte, error) {
	theme := scene.Light()
	if key.dark {
		theme = scene.Dark()
	}
	state, pos, ok := p.book.RunOf(key.slug).StateAt(step.Anchor)
	if !ok {
		return nil, errors.New("its run does not reach it")
	}
	title := ""
	words, _ := p.book.Page(key.slug, string(key.lang)) // of a lesson that was found
	for _, s := range words.Steps {
		if s.Anchor == step.Anchor {
			title = s.Title
		}
	}
	var f scene.Frame
	f.Draw(state, pos.At, scene.Options{
		Width: pictureWidth, Height: pictureHeight, Theme: theme, Words: p.words[key.lang], Still: true, Focus: step.Focus,
	})
	var svg bytes.Buffer
	if err := scene.WriteSVG(&svg, &f, title); err != nil {
		return nil, err
	}
	return svg.Bytes(), nil
}
