package zoo

import (
	"errors"

	"github.com/zkviz/zkviz/engine/event/program"
)

// Code is ZooKeeper's error number (KeeperException.Code). It is an error; compare it with errors.Is. Codes below
// -1000 come from program.Code.
type Code int32

const (
	OK                              Code = 0
	ErrSystem                       Code = -1
	ErrRuntimeInconsistency         Code = -2
	ErrDataInconsistency            Code = -3
	ErrConnectionLoss               Code = -4
	ErrMarshalling                  Code = -5
	ErrUnimplemented                Code = -6
	ErrOperationTimeout             Code = -7
	ErrBadArguments                 Code = -8
	ErrUnknownSession               Code = -12
	ErrNewConfigNoQuorum            Code = -13
	ErrReconfigInProgress           Code = -14
	ErrAPI                          Code = -100
	ErrNoNode                       Code = -101
	ErrNoAuth                       Code = -102
	ErrBadVersion                   Code = -103
	ErrNoChildrenForEphemeral       Code = -108
	ErrNodeExists                   Code = -110
	ErrNotEmpty                     Code = -111
	ErrSessionExpired               Code = -112
	ErrInvalidCallback              Code = -113
	ErrInvalidACL                   Code = -114
	ErrAuthFailed                   Code = -115
	ErrSessionMoved                 Code = -118
	ErrNotReadOnly                  Code = -119
	ErrEphemeralOnLocalSession      Code = -120
	ErrNoWatcher                    Code = -121
	ErrRequestTimeout               Code = -122
	ErrReconfigDisabled             Code = -123
	ErrSessionClosedRequireSASLAuth Code = -124
	ErrQuotaExceeded                Code = -125
	ErrThrottledOp                  Code = -127

	ErrTimeout = Code(program.ErrTimeout) // Await's timeout has passed
	ErrStopped = Code(program.ErrStopped) // the run ended or the process crashed: return
)

var codeText = map[Code]string{
	OK:                              "ok",
	ErrSystem:                       "system error",
	ErrRuntimeInconsistency:         "runtime inconsistency",
	ErrDataInconsistency:            "data inconsistency",
	ErrConnectionLoss:               "connection loss",
	ErrMarshalling:                  "marshalling error",
	ErrUnimplemented:                "unimplemented",
	ErrOperationTimeout:             "operation timed out",
	ErrBadArguments:                 "bad arguments",
	ErrUnknownSession:               "unknown session",
	ErrNewConfigNoQuorum:            "no quorum of the new configuration is connected",
	ErrReconfigInProgress:           "another reconfiguration is in progress",
	ErrAPI:                          "API error",
	ErrNoNode:                       "no node",
	ErrNoAuth:                       "not authorised",
	ErrBadVersion:                   "bad version",
	ErrNoChildrenForEphemeral:       "no children for ephemerals",
	ErrNodeExists:                   "node exists",
	ErrNotEmpty:                     "not empty",
	ErrSessionExpired:               "session expired",
	ErrInvalidCallback:              "invalid callback",
	ErrInvalidACL:                   "invalid ACL",
	ErrAuthFailed:                   "authentication failed",
	ErrSessionMoved:                 "session moved to another server",
	ErrNotReadOnly:                  "the server is read-only",
	ErrEphemeralOnLocalSession:      "ephemeral on a local session",
	ErrNoWatcher:                    "no such watcher",
	ErrRequestTimeout:               "request timed out",
	ErrReconfigDisabled:             "reconfiguration is disabled",
	ErrSessionClosedRequireSASLAuth: "the server requires SASL authentication",
	ErrQuotaExceeded:                "quota exceeded",
	ErrThrottledOp:                  "throttled",
}

// Error returns the code in words.
func (c Code) Error() string {
	if s, ok := codeText[c]; ok {
		return s
	}
	return program.Code(c).Error()
}

// Is reports whether target is the same code of package program.
func (c Code) Is(target error) bool {
	w, ok := target.(program.Code)
	return ok && Code(w) == c
}

// Error tells which operation on which path failed with Code.
type Error struct {
	Op   string
	Path string
	Code Code
}

// Error returns text such as "create /locks/a: node exists".
func (e *Error) Error() string { return e.Op + " " + e.Path + ": " + e.Code.Error() }

// Unwrap lets errors.Is compare with a Code.
func (e *Error) Unwrap() error { return e.Code }

// CodeOf returns the Code or program.Code that err wraps, OK for nil and ErrSystem for any other error.
func CodeOf(err error) Code {
	if err == nil {
		return OK
	}
	var c Code
	if errors.As(err, &c) {
		return c
	}
	var w program.Code
	if errors.As(err, &w) {
		return Code(w)
	}
	return ErrSystem
}
