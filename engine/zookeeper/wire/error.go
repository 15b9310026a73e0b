package wire

import "errors"

// Errors in a frame, by how a server reacts to them.
var (
	// ErrMarshalling reports a body that is too short for its operation, or that no client would send. The header is
	// valid: the server answers zoo.ErrMarshalling and continues.
	ErrMarshalling = errors.New("the body of the request cannot be read")
	// ErrUnimplemented reports a number that is not an operation. The header is valid: the server answers
	// zoo.ErrUnimplemented with zxid -1 and closes the connection.
	ErrUnimplemented = errors.New("unknown operation")
	// ErrFrame reports a frame with an invalid start or length. The server closes the connection without an answer.
	ErrFrame = errors.New("the frame cannot be read")
	// ErrTxn reports bytes that are not a transaction of a server's log.
	ErrTxn = errors.New("the transaction cannot be read")
)
