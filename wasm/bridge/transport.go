package bridge

import "github.com/zkviz/zkviz/engine/run/protocol"

// transport carries requests to the rooms of runs, and their messages to a receiver. A lost connection comes back by
// itself.
type transport interface {
	// send reports whether there is a connection for the request.
	send(protocol.Request) bool
	// again drops the connection. It comes back and brings what was missed.
	again()
	// end closes it for good.
	end()
}

// receiver handles what a transport brings. Its functions are called one at a time.
type receiver struct {
	opened func()
	text   func(text []byte)  // for protocol.ParseMessage
	frame  func(frame []byte) // for protocol.ParseFrame
	closed func()
}
