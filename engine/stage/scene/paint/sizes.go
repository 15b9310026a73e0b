package paint

import (
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Sizes are the sizes that follow from the picture's size alone.
type Sizes struct {
	_      [0]func() // as view.Incomparable
	K      float64   // 1 on an ordinary desktop stage
	Margin float64
	Pad    float64 // inside ZooKeeper's box
	Corner float64
	Bold   text.Face
	Small  text.Face
	Note   text.Face // small and bold
	Name   text.Face // for a znode's name
	RootH  float64
	StripH float64
	StoreH float64 // height of the store below the clients, 0 for none
	// ServersH is the height of the servers above ZooKeeper's box, 0 if none are drawn.
	ServersH float64
	RemotesH float64 // height of other systems' nodes below the clients, with the lane to them; 0 for none
	// Tight reports whether the servers leave too little height, so that they and the queue are drawn lower.
	Tight bool
	Line  float64 // width of a watch's line
}
