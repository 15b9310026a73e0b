package shared

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var (
	// ErrClosed reports that the bus was closed.
	ErrClosed = errors.New("the connection to the other servers is closed")
	// ErrNoLink reports that there is no connection to NATS now. It comes back by itself, see Bus.Link.
	ErrNoLink = errors.New("no connection to NATS now")
	// ErrNotOwner reports that somebody else owns the name, or may: the lease wasn't renewed in time.
	ErrNotOwner = errors.New("not the owner, or not any more")
	// ErrNobody reports that nobody owns the name, or that its owner gave no answer in time.
	ErrNobody = errors.New("nobody answers for that name")
	// ErrDeleted reports that the log was deleted. Its name can be used again KeptFor later.
	ErrDeleted = errors.New("the log was deleted")
	// ErrExpired reports that the entries to read from are so old that NATS has dropped them.
	ErrExpired = errors.New("the log's beginning has expired")
	// ErrTooLarge reports more bytes than EntryBytes, AskBytes or TellBytes.
	ErrTooLarge = errors.New("too large")
	// ErrFull reports that the log has LogBytes or is LogAge old, or that there is no room for any log.
	ErrFull = errors.New("the log is full")
)

// BehindError reports that an append didn't name the last entry.
type BehindError struct {
	// Last is the number of the log's last entry.
	Last uint64
}

// Error returns a sentence with the number of the last entry.
func (b BehindError) Error() string { return fmt.Sprintf("the log's last entry is %d", b.Last) }

// tooLarge returns an error if there are more bytes than allowed.
func tooLarge(what string, bytes, most int) error {
	if bytes <= most {
		return nil
	}
	return fmt.Errorf("%s of %d bytes is %w: at most %d", what, bytes, ErrTooLarge, most)
}

// outcome says what became of a message that JetStream should have stored.
type outcome int

const (
	stored  outcome = iota
	moved           // the last entry is another: refused
	full            // no room: refused
	refused         // for a reason that stays
	unknown         // it may have been stored
)

// outcomeOf reads JetStream's answer.
func outcomeOf(err error) outcome {
	var api *jetstream.APIError
	switch {
	case err == nil:
		return stored
	case !errors.As(err, &api):
		return unknown
	case api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence,
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant:
		return moved
	case api.ErrorCode == codeStoreFailed || api.ErrorCode == codeInsufficient:
		return full
	case api.Code == codeUnavailable:
		return unknown
	}
	return refused
}

// isGone reports that a key isn't there.
func isGone(err error) bool {
	return errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrKeyDeleted)
}

// JetStream's codes for a stream with MaxBytes, for an account without room, and for what is out of service for now,
// such as a cluster that elects a leader.
const (
	codeStoreFailed  = 10077
	codeInsufficient = 10047
	codeUnavailable  = 503
)

// linkError names the error of a request to NATS: ErrNoLink if it never left.
func (b *Bus) linkError(ctx context.Context, err error) error {
	switch {
	case b.ctx.Err() != nil:
		return ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, nats.ErrReconnectBufExceeded), errors.Is(err, nats.ErrDisconnected),
		errors.Is(err, nats.ErrConnectionReconnecting), errors.Is(err, nats.ErrConnectionClosed):
		return ErrNoLink
	}
	return err
}
