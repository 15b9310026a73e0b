package queue

import (
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// TickPlan is a znode too small for a name.
type TickPlan struct {
	Path     string
	x, y     float32 // upper left corner
	selected bool
}

// A tick's size, in parts of its square.
const (
	tickWidth  = 0.62
	tickHeight = 0.72
)

// bundlePlan is one line for the watches of many dots.
type bundlePlan struct {
	way   geom.Path
	fired bool
	alpha float64
	count text.Tag // next to its eye; zero width means no eye
}
