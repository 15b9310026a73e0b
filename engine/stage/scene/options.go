package scene

import "github.com/zkviz/zkviz/engine/stage/scene/floor"

// Options says how to draw a State.
type Options = floor.Options
