package bridge

import "github.com/zkviz/zkviz/engine/run/protocol"

// transport carries requests to the rooms of runs, and their messages to a receiver. A lost connection comes back by
// itself.
type transport interface {
	// send reports whether there is a connection for the request.
	send(protocol.Request) bool
	// reach has a request of the reader's without a connection do what can be done for one. It reports whether there
	// will be one.
	reach() bool
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
	failed func(why string) // there is no way to connect; nil if the transport goes on trying
	// lacks hears that the transport will never have an answer for a request. It reports whether another one will.
	lacks func() bool
	// rests reports whether the connection may end and another begin, for nothing is under way; nil for never.
	rests func() bool
}

// gated is a transport that brings nothing more after its end.
type gated struct {
	transport
	ended *bool
}

func (g gated) end() {
	*g.ended = true
	g.transport.end()
}

// dial returns a transport whose callbacks only leave work for later, until its end.
func dial(later func(work func()), r receiver, open func(receiver) transport) transport {
	ended := new(bool)
	leave := func(work func()) {
		later(func() {
			if !*ended {
				work()
			}
		})
	}
	return gated{open(receiver{
		opened: func() { leave(r.opened) },
		text:   func(text []byte) { leave(func() { r.text(text) }) },
		frame:  func(frame []byte) { leave(func() { r.frame(frame) }) },
		closed: func() { leave(r.closed) },
		failed: func(why string) { leave(func() { r.failed(why) }) },
		lacks:  r.lacks,
		rests:  r.rests,
	}), ended}
}
