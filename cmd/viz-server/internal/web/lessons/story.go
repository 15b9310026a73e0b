package lessons

import (
	"math"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/story"
	"github.com/zkviz/zkviz/static/strings/words"
)

// planned plans the picture of a lesson's whole run. It has no low shape: there it is tall.
func planned(h *view.History, shape page.Shape, w words.Words) *story.Plan {
	down := shape != page.Usual
	o := story.Options{Down: down, Words: w}
	o.Width, o.Height = story.Size(down)
	return story.Make(h, o)
}

// storyOf returns what a lesson's page says of the picture of its whole run.
func storyOf(h *view.History, w words.Words) page.Story {
	wide, tall := planned(h, page.Usual, w), planned(h, page.Tall, w)
	size := func(p *story.Plan) [2]int { return [2]int{int(math.Ceil(p.Width)), int(math.Ceil(p.Height))} }
	return page.Story{Wide: size(wide), Tall: size(tall), Lines: wide.Tell()}
}

// drawStory draws a lesson's whole run.
func (p *pictures) drawStory(key pictureKey) ([]byte, error) {
	title := ""
	if words, ok := p.book.Page(key.slug, string(key.lang)); ok {
		title = words.Title
	}
	return p.write(key, title, false, func(f *scene.Frame, o scene.Options) {
		planned(p.book.RunOf(key.slug).History(), key.shape, o.Words).Draw(f, o.Theme, nil)
	})
}
