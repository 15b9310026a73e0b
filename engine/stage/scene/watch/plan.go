package watch

import (
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
)

// watchPlan is a watch: its line from the client to the znode, its eye there, and the notification on its way back.
type watchPlan struct {
	way      geom.Path
	client   int
	look     watchLook
	alpha    float64
	selected bool
	eye      float64 // radius of the eye, 0 for none
	x, y     float64 // position of the pulse
	pulse    bool
}

type watchLook uint8

const (
	armedWatch watchLook = iota
	firedWatch
	removedWatch
)
