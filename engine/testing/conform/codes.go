package conform

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// codeNames are the short names of errors, as in ZooKeeper's KeeperException.Code.
var codeNames = map[zoo.Code]string{
	zoo.OK:                              "OK",
	zoo.ErrSystem:                       "SYSTEMERROR",
	zoo.ErrRuntimeInconsistency:         "RUNTIMEINCONSISTENCY",
	zoo.ErrDataInconsistency:            "DATAINCONSISTENCY",
	zoo.ErrConnectionLoss:               "CONNECTIONLOSS",
	zoo.ErrMarshalling:                  "MARSHALLINGERROR",
	zoo.ErrUnimplemented:                "UNIMPLEMENTED",
	zoo.ErrOperationTimeout:             "OPERATIONTIMEOUT",
	zoo.ErrBadArguments:                 "BADARGUMENTS",
	zoo.ErrUnknownSession:               "UNKNOWNSESSION",
	zoo.ErrNewConfigNoQuorum:            "NEWCONFIGNOQUORUM",
	zoo.ErrReconfigInProgress:           "RECONFIGINPROGRESS",
	zoo.ErrAPI:                          "APIERROR",
	zoo.ErrNoNode:                       "NONODE",
	zoo.ErrNoAuth:                       "NOAUTH",
	zoo.ErrBadVersion:                   "BADVERSION",
	zoo.ErrNoChildrenForEphemeral:       "NOCHILDRENFOREPHEMERALS",
	zoo.ErrNodeExists:                   "NODEEXISTS",
	zoo.ErrNotEmpty:                     "NOTEMPTY",
	zoo.ErrSessionExpired:               "SESSIONEXPIRED",
	zoo.ErrInvalidCallback:              "INVALIDCALLBACK",
	zoo.ErrInvalidACL:                   "INVALIDACL",
	zoo.ErrAuthFailed:                   "AUTHFAILED",
	zoo.ErrSessionMoved:                 "SESSIONMOVED",
	zoo.ErrNotReadOnly:                  "NOTREADONLY",
	zoo.ErrNoWatcher:                    "NOWATCHER",
	zoo.ErrReconfigDisabled:             "RECONFIGDISABLED",
	zoo.ErrSessionClosedRequireSASLAuth: "SESSIONCLOSEDREQUIRESASLAUTH",
	zoo.ErrQuotaExceeded:                "QUOTAEXCEEDED",
	zoo.ErrThrottledOp:                  "THROTTLEDOP",
}

// codeName returns the name of a code, or its number if it has none.
func codeName(c zoo.Code) string {
	if name, ok := codeNames[c]; ok {
		return name
	}
	return strconv.Itoa(int(c))
}
