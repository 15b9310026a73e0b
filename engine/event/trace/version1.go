package trace

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Version 1 wrote the reason for an end as a sentence, and clients as numbers.

// sentences maps the sentences of znode.deleted, run.ended and conn.closed to reasons.
var sentences = map[string]event.Reason{
	"op":              event.ByOp,
	"session closed":  event.BySessionClosed,
	"session expired": event.BySessionExpired,
	"timer":           event.ByTimer,
	"unknown":         event.ByUnknown,

	"every client is done":                                event.EndAllDone,
	"every client waits, and nothing is left to wake one": event.EndStuck,
	"the time limit is reached":                           event.EndTime,
	"the limit on events is reached":                      event.EndEvents,
	"it was stopped":                                      event.EndCancelled,
	"a client goes round and round in no time":            event.EndSpin,
	"the log is full; it goes on in a new one":            event.EndEvents,

	"the server closed the connection":                              event.ConnHungUp,
	"nothing heard for two thirds of the session timeout":           event.ConnSilent,
	"the server says that the session has expired":                  event.BySessionExpired,
	"the connection is lost":                                        event.ConnLost,
	"its connection was lost before":                                event.ConnLostBefore,
	"the session is unknown, over, or has another password":         event.ConnRefused,
	"there are too many sessions":                                   event.ConnSessions,
	"the client has seen a later zxid than this server has":         event.ConnZxidAhead,
	"the session was asked for on another connection":               event.ConnTaken,
	"the client closed its session":                                 event.BySessionClosed,
	"the session has expired":                                       event.BySessionExpired,
	"authentication failed":                                         event.ConnAuthFailed,
	"there is no such operation":                                    event.ConnUnknownOp,
	"it has shown itself to be too many, or with too long a secret": event.ConnTooManyIDs,
	"it comes back with more watches than there is room for":        event.ConnTooManyWatches,
}

// fromVersion1 converts an event from version 1.
func fromVersion1(e event.Event) event.Event {
	switch e.Kind {
	case event.ZnodeDeleted, event.RunEnded, event.ConnClosed:
		if reason, ok := sentences[e.Text]; ok {
			e.Reason, e.Text = reason, ""
		} else if e.Kind == event.RunEnded {
			e.Reason = event.EndFailed
		}
	case event.ServerStopped:
		e.Text = ""
	case event.ClientExited:
		e.Code = int32(codeIn(e.Text))
	}
	return e
}

// codeIn returns the code of the error that ended a client, among those that can change a verdict.
func codeIn(text string) zoo.Code {
	if text == "" {
		return zoo.OK
	}
	for _, code := range []zoo.Code{zoo.ErrSessionExpired, zoo.ErrStopped, zoo.Code(program.ErrFenced), zoo.ErrTimeout,
		zoo.ErrConnectionLoss} {
		if strings.Contains(text, code.Error()) {
			return code
		}
	}
	return zoo.ErrSystem
}

// number1 parses a client as version 1 wrote it.
func number1(text string) (event.Actor, bool) {
	n, err := strconv.ParseInt(text, 10, 32)
	return event.Actor(n), err == nil && n >= 0 && n <= event.MaxActor
}
