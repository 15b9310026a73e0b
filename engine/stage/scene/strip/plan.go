package strip

import (
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// stripPlan is the line of figures at the foot.
type stripPlan struct {
	geom.Rect
	inside      text.Tag // who is inside; zero width for nobody
	left, right text.Label
}
