package bridge

import "github.com/zkviz/zkviz/engine/protocol"

// transport carries requests to the rooms of runs, wherever they are, and what they say back to a receiver. One that is
// lost comes back by itself.
type transport interface {
	// send reports whether there is a connection to send a request by.
	send(protocol.Request) bool
	// again gives the connection up. It comes back, and with it what was missed.
	again()
	// end gives it up for good.
	end()
}

// receiver takes what comes by a transport. Its functions are called one at a time.
type receiver struct {
	opened func()
	text   func(text []byte)  // as protocol.ParseMessage reads it
	frame  func(frame []byte) // as protocol.ParseFrame reads it
	closed func()
}
