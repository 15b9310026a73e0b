package wire

import "errors"

// What can be wrong with a frame, by what a server does about it.
var (
	// ErrMarshalling is a body that is too short for its operation, or that no client would send. The
	// header is good: the server answers zoo.ErrMarshalling and goes on.
	ErrMarshalling = errors.New("the body of the request cannot be read")
	// ErrUnimplemented is a number that is no operation. The header is good: the server answers
	// zoo.ErrUnimplemented with zxid -1 and closes the connection.
	ErrUnimplemented = errors.New("there is no operation of this number")
	// ErrFrame is a frame whose beginning or length makes no sense. The server closes the connection
	// without an answer.
	ErrFrame = errors.New("the frame cannot be read")
	// ErrTxn is bytes that are no transaction of a server's log.
	ErrTxn = errors.New("the transaction cannot be read")
)
