package conform

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/zoo"
)

func nowMS() int64 { return time.Now().UnixMilli() }

// codeName is the name that ZooKeeper's KeeperException.Code has for an error, in short.
func codeName(c zoo.Code) string {
	switch c {
	case zoo.OK:
		return "OK"
	case zoo.ErrSystem:
		return "SYSTEMERROR"
	case zoo.ErrRuntimeInconsistency:
		return "RUNTIMEINCONSISTENCY"
	case zoo.ErrDataInconsistency:
		return "DATAINCONSISTENCY"
	case zoo.ErrConnectionLoss:
		return "CONNECTIONLOSS"
	case zoo.ErrMarshalling:
		return "MARSHALLINGERROR"
	case zoo.ErrUnimplemented:
		return "UNIMPLEMENTED"
	case zoo.ErrOperationTimeout:
		return "OPERATIONTIMEOUT"
	case zoo.ErrBadArguments:
		return "BADARGUMENTS"
	case zoo.ErrUnknownSession:
		return "UNKNOWNSESSION"
	case zoo.ErrNewConfigNoQuorum:
		return "NEWCONFIGNOQUORUM"
	case zoo.ErrReconfigInProgress:
		return "RECONFIGINPROGRESS"
	case zoo.ErrAPI:
		return "APIERROR"
	case zoo.ErrNoNode:
		return "NONODE"
	case zoo.ErrNoAuth:
		return "NOAUTH"
	case zoo.ErrBadVersion:
		return "BADVERSION"
	case zoo.ErrNoChildrenForEphemeral:
		return "NOCHILDRENFOREPHEMERALS"
	case zoo.ErrNodeExists:
		return "NODEEXISTS"
	case zoo.ErrNotEmpty:
		return "NOTEMPTY"
	case zoo.ErrSessionExpired:
		return "SESSIONEXPIRED"
	case zoo.ErrInvalidCallback:
		return "INVALIDCALLBACK"
	case zoo.ErrInvalidACL:
		return "INVALIDACL"
	case zoo.ErrAuthFailed:
		return "AUTHFAILED"
	case zoo.ErrSessionMoved:
		return "SESSIONMOVED"
	case zoo.ErrNotReadOnly:
		return "NOTREADONLY"
	case zoo.ErrNoWatcher:
		return "NOWATCHER"
	case zoo.ErrReconfigDisabled:
		return "RECONFIGDISABLED"
	case zoo.ErrSessionClosedRequireSASLAuth:
		return "SESSIONCLOSEDREQUIRESASLAUTH"
	case zoo.ErrQuotaExceeded:
		return "QUOTAEXCEEDED"
	case zoo.ErrThrottledOp:
		return "THROTTLEDOP"
	}
	return strconv.Itoa(int(c))
}
