package model

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

func strLen(s *Server, _ *session, args []string) resp.Value {
	i := s.find(args[1])
	switch {
	case i == nil:
		return resp.Int(0)
	case !i.isString():
		return resp.Err(wrongType)
	}
	return resp.Int(int64(len(i.str)))
}

// getRange returns a part of a string. Offsets count from 0, negative ones from the end.
func getRange(s *Server, _ *session, args []string) resp.Value {
	from, err1 := strconv.Atoi(args[2])
	to, err2 := strconv.Atoi(args[3])
	if err1 != nil || err2 != nil {
		return resp.Err(notInteger)
	}
	i := s.find(args[1])
	switch {
	case i == nil:
		return resp.String("")
	case !i.isString():
		return resp.Err(wrongType)
	case from < 0 && to < 0 && from > to:
		return resp.String("")
	}
	n := len(i.str)
	if from < 0 {
		from = max(from+n, 0)
	}
	if to < 0 {
		to = max(to+n, 0)
	}
	if to = min(to, n-1); from > to {
		return resp.String("")
	}
	return resp.String(i.str[from : to+1])
}
