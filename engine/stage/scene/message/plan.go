package message

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Plan is a request to or a reply for a client, under way.
type Plan struct {
	X, Y           float64
	Client         int
	Name           string // name of the client
	Seq            event.Seq
	Look           messageLook
	Up, Reply, Bad bool
	Alpha          float64
	Word           text.Tag
	Eye            geom.Round // for a request that sets a watch; zero radius for none
	Bang           float64    // radius of a pushed message
	Under          bool       // it lies under other messages
}

type messageLook uint8

const (
	Worded messageLook = iota
	Wordless
	Beat
	LostMessage
	Pushed // sent by a node on its own
)

// Particle is a message or an event of a client that is a dot.
type Particle struct {
	X, Y, R float32
	Look    particleLook
}

type particleLook uint8

const (
	EventParticle particleLook = iota
	RequestParticle
	ReplyParticle
	LostParticle
)
