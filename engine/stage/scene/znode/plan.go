package znode

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// boxPlan is ZooKeeper's box: its name, and the zxid of its last transaction or that it is out of reach.
type boxPlan struct {
	geom.Rect
	lost       bool
	unserved   bool // no server answers
	faded      bool // no server answers, or the one whose znodes these are doesn't
	name, note text.Label
	clock      geom.Round // if the server's time is off
	acts       bool       // its server can be acted on
}

// NodePlan is a znode, or the place of a missing one.
type NodePlan struct {
	_ view.Incomparable
	geom.Rect
	Path               string
	Hit                geom.Rect
	Look               nodeLook
	dashed             bool // the znode is ephemeral
	held               bool // the znode lets its owner be inside
	stressed, selected bool
	owner              int        // owner whose colour the edge has, -1 for none
	alpha              float64    // opacity
	flash              float64    // opacity of the flash for a change
	Struck             float64    // opacity of the line through it, 0 for none
	Name, Second       text.Label // second is below the name, or after it on a row
	Third              text.Label
	Back               bool      // for words that lead to a page: it is the previous one
	tie                geom.Rect // below second: another znode has the same creation time
	tab                paint.Tab
}

type nodeLook uint8

const (
	asCard nodeLook = iota
	asRoot
	asMissing
	AsMore // words that lead to another page
)
