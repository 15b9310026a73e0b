package admin

import (
	"errors"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

var known = [...]struct {
	err  error
	code zoo.Code
}{
	{zk.ErrConnectionClosed, zoo.ErrConnectionLoss},
	{zk.ErrNoServer, zoo.ErrConnectionLoss},
	{zk.ErrClosing, zoo.ErrConnectionLoss},
	{zk.ErrSessionMoved, zoo.ErrConnectionLoss},
	{zk.ErrSessionExpired, zoo.ErrSessionExpired},
	{zk.ErrNoNode, zoo.ErrNoNode},
	{zk.ErrNodeExists, zoo.ErrNodeExists},
	{zk.ErrNoAuth, zoo.ErrNoAuth},
	{zk.ErrBadVersion, zoo.ErrBadVersion},
	{zk.ErrNoChildrenForEphemerals, zoo.ErrNoChildrenForEphemeral},
	{zk.ErrNotEmpty, zoo.ErrNotEmpty},
	{zk.ErrInvalidACL, zoo.ErrInvalidACL},
	{zk.ErrAuthFailed, zoo.ErrAuthFailed},
	{zk.ErrInvalidPath, zoo.ErrBadArguments},
	{zk.ErrInvalidFlags, zoo.ErrBadArguments},
	{zk.ErrBadArguments, zoo.ErrBadArguments},
}

// CodeOf returns ZooKeeper's code for an error of the library.
func CodeOf(err error) zoo.Code {
	if err == nil {
		return zoo.OK
	}
	for _, k := range known {
		if errors.Is(err, k.err) {
			return k.code
		}
	}
	var code zoo.Code
	if errors.As(err, &code) {
		return code
	}
	var network net.Error
	if errors.As(err, &network) || errors.Is(err, io.EOF) {
		return zoo.ErrConnectionLoss
	}
	return unknown(err.Error())
}

// Passing reports whether a call has only lost its connection or its session. The library opens others by itself.
func Passing(err error) bool {
	code := CodeOf(err)
	return code == zoo.ErrConnectionLoss || code == zoo.ErrSessionExpired
}

// unknown extracts the code from the library's text for codes that it doesn't know.
func unknown(text string) zoo.Code {
	if at := strings.LastIndexByte(text, ' '); at >= 0 {
		if n, err := strconv.Atoi(text[at+1:]); err == nil && strings.HasPrefix(text, "unknown error") {
			return zoo.Code(n)
		}
	}
	return zoo.ErrSystem
}
