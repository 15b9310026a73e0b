package lessons

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/engine/stage/raster"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/lessons"
	_ "github.com/zkviz/zkviz/recipes"
	"github.com/zkviz/zkviz/static/strings/words"
)

// The size of previews in CSS px, and how many pixels they have for each. It makes 1200 by 630, as those who show links
// want.
const (
	previewWidth  = 800
	previewHeight = 420
	previewScale  = 1.5
)

// picturePolicy applies to pictures, which may be opened by themselves.
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"

// picture answers /lessons/SLUG/ANCHOR.svg?theme=light|dark&shape=tall|low, and /recipes/NAME.svg likewise. The picture
// of a lesson's whole run has the anchor story. A site of files also has /lessons/SLUG/ANCHOR.png, which those show who
// preview a link.
func (s *Pages) picture(w http.ResponseWriter, r *http.Request) {
	anchor, isSVG := strings.CutSuffix(r.PathValue("picture"), ".svg")
	isPreview := false
	if s.site.Exported() && r.PathValue("slug") != "" {
		anchor, isPreview = strings.CutSuffix(anchor, ".png")
	}
	theme := r.URL.Query().Get("theme")
	if theme != "" && theme != "light" && theme != "dark" {
		s.site.Refuse(w, r, http.StatusBadRequest, sentence.Error("bad.theme", sentence.Quote(theme)))
		return
	}
	shape, ok := page.ShapeOf(r.URL.Query().Get("shape"))
	if !ok {
		s.site.Refuse(w, r, http.StatusBadRequest, sentence.Error("bad.shape", sentence.Quote(r.URL.Query().Get("shape"))))
		return
	}
	c, ok, err := s.pictures.of(r.Context(), site.ClientOf(r), pictureKey{site.LanguageOf(r), r.PathValue("slug"), anchor,
		shape, theme == "dark", isPreview})
	switch {
	case errors.As(err, new(room.Busy)):
		s.site.Refuse(w, r, site.StatusOf(w, err), err)
	case err != nil:
		s.site.Failed(w, r, err)
	case !ok || !isSVG && !isPreview:
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Security-Policy", picturePolicy)
		c.Serve(w, r, body.AskAgain)
	}
}

// pictures draws lessons' steps and recipes on the first request. Each has a picture for every shape and theme in
// each language.
type pictures struct {
	book  *lessons.Book
	words func(page.Lang) words.Words
	turns *room.Turns // shared with all other answers

	mu    sync.Mutex
	drawn map[pictureKey]*picture // of existing steps and recipes only
}

// pictureKey identifies a step of the lesson slug. If slug is empty, anchor names a recipe.
type pictureKey struct {
	lang         page.Lang
	slug, anchor string
	shape        page.Shape
	dark         bool
	preview      bool // for a link to the page
}

// picture is drawn by the first request that gets a turn. All others wait for it.
type picture struct {
	once  sync.Once
	drawn chan struct{} // closed when body or err is set
	body  *body.Body
	err   error
}

func newPictures(book *lessons.Book, words func(page.Lang) words.Words, turns *room.Turns) *pictures {
	return &pictures{book: book, words: words, turns: turns, drawn: map[pictureKey]*picture{}}
}

// of returns a picture; false if there is no such step or recipe.
func (p *pictures) of(ctx context.Context, who room.ClientKey, key pictureKey) (*body.Body, bool, error) {
	draw, ok := p.drawer(key)
	if !ok {
		return nil, false, nil
	}
	pic := p.find(key)
	select {
	case <-pic.drawn:
		return pic.body, true, pic.err
	default:
	}
	leave, err := p.turns.Enter(ctx, who)
	if err != nil {
		return nil, true, err
	}
	defer leave()
	pic.once.Do(func() {
		defer close(pic.drawn)
		drawn, err := draw(key)
		if err != nil {
			pic.err = fmt.Errorf("draw %s/%s: %w", key.slug, key.anchor, err)
			return
		}
		kind := "image/svg+xml"
		if key.preview {
			kind = "image/png"
		}
		pic.body = body.New(kind, drawn, 6)
	})
	return pic.body, true, pic.err
}

func (p *pictures) find(key pictureKey) *picture {
	p.mu.Lock()
	defer p.mu.Unlock()
	pic, ok := p.drawn[key]
	if !ok {
		pic = &picture{drawn: make(chan struct{})}
		p.drawn[key] = pic
	}
	return pic
}

// drawer returns the function that draws a picture; false if there is nothing to draw.
func (p *pictures) drawer(key pictureKey) (func(pictureKey) ([]byte, error), bool) {
	if key.slug == "" {
		r, ok := recipe.Find(key.anchor)
		return func(key pictureKey) ([]byte, error) { return p.drawRecipe(key, r) }, ok
	}
	lesson, ok := p.book.Find(key.slug)
	if !ok {
		return nil, false
	}
	step := lesson.Step(key.anchor)
	if step == nil && key.anchor == page.StoryName && !key.preview {
		return p.drawStory, true
	}
	return func(key pictureKey) ([]byte, error) { return p.drawStep(key, step) }, step != nil
}

// drawStep draws the moment at which a step stops.
func (p *pictures) drawStep(key pictureKey, step *lessons.Step) ([]byte, error) {
	state, pos, ok := p.book.RunOf(key.slug).StateAt(step.Anchor)
	if !ok {
		return nil, errors.New("its run does not reach it")
	}
	told, _ := p.book.Page(key.slug, string(key.lang)) // the lesson exists
	words := told.Step(step.Anchor)
	lead, pair := step.Pair(p.book.RunOf(key.slug))
	without := mark.FiguresBut(step.Shows)
	if pair == nil {
		return p.draw(key, state, pos.At, words.Title, scene.Options{Focus: step.Focus, Without: without})
	}
	names, rule, _ := player.RunNames(words.Names)
	return p.write(key, words.Title, true, func(f *scene.Frame, o scene.Options) {
		o.Without = without
		f.DrawBeside(panes.Pictures(lead, pair, names, rule, o.Words.Say), o)
	})
}

// drawRecipe draws the most telling moment of a recipe.
func (p *pictures) drawRecipe(key pictureKey, r recipe.Recipe) ([]byte, error) {
	scenario, err := p.exampleRun(r)
	if err != nil {
		return nil, err
	}
	// The picture is for all, even if the first client leaves.
	state, err := momentOf(context.Background(), scenario)
	if err != nil {
		return nil, err
	}
	return p.draw(key, state, state.At, r.Name, scene.Options{})
}

func (p *pictures) draw(
	key pictureKey, s *view.State, at time.Duration, title string, of scene.Options,
) ([]byte, error) {
	return p.write(key, title, false, func(f *scene.Frame, o scene.Options) {
		o.Focus, o.Without = of.Focus, of.Without
		f.Draw(s, at, o)
	})
}

// write returns the picture that draw draws, of one run or of a pair.
func (p *pictures) write(
	key pictureKey, title string, pair bool, draw func(*scene.Frame, scene.Options),
) ([]byte, error) {
	width, height := key.shape.Size(pair)
	o := scene.Options{
		Width: float64(width), Height: float64(height), Theme: display.Light(), Words: p.words(key.lang), Still: true,
	}
	if key.dark {
		o.Theme = display.Dark()
	}
	if key.preview {
		o.Width, o.Height = previewWidth, previewHeight
	}
	var f scene.Frame
	draw(&f, o)
	var out bytes.Buffer
	var err error
	if key.preview {
		err = raster.WritePNG(&out, &f, previewScale)
	} else {
		err = scene.WriteSVG(&out, &f, title)
	}
	return out.Bytes(), err
}
