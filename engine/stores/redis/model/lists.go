package model

import (
	"slices"
	"strconv"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// push is LPUSH or RPUSH.
func push(left bool) func(*Server, *session, []string) resp.Value {
	return func(s *Server, _ *session, args []string) resp.Value {
		key := args[1]
		i := s.find(key)
		if i != nil && !i.isList {
			return resp.Err(wrongType)
		}
		values := args[2:]
		have := 0
		if i != nil {
			have = len(i.list)
		}
		if have+len(values) > MaxList {
			return resp.Err(outOfMemory)
		}
		if i == nil {
			i = &item{isList: true}
			s.put(key, i)
		}
		for _, v := range values {
			if left {
				i.list = slices.Insert(i.list, 0, v)
			} else {
				i.list = append(i.list, v)
			}
			s.keys.grow(i, elementOverhead+len(v))
		}
		i.owner = s.moment.by
		s.emitValue(key, i)
		s.replication.propagate(key, args...)
		s.waits.push(key)
		return resp.Int(int64(len(i.list)))
	}
}

// pop removes the head of an existing list.
func (s *Server) pop(key string, i *item) string {
	v := i.list[0]
	if len(i.list) == 1 {
		s.remove(key, i)
		return v
	}
	i.list = slices.Delete(i.list, 0, 1)
	s.keys.grow(i, -elementOverhead-len(v))
	s.emitValue(key, i)
	s.replication.propagate(key, "LPOP", key)
	return v
}

func lPop(s *Server, _ *session, args []string) resp.Value {
	i := s.find(args[1])
	switch {
	case i == nil:
		return resp.Value{}
	case !i.isList:
		return resp.Err(wrongType)
	}
	return resp.String(s.pop(args[1], i))
}

func lLen(s *Server, _ *session, args []string) resp.Value {
	i := s.find(args[1])
	switch {
	case i == nil:
		return resp.Int(0)
	case !i.isList:
		return resp.Err(wrongType)
	}
	return resp.Int(int64(len(i.list)))
}

func lRange(s *Server, _ *session, args []string) resp.Value {
	from, err1 := strconv.Atoi(args[2])
	to, err2 := strconv.Atoi(args[3])
	if err1 != nil || err2 != nil {
		return resp.Err(notInteger)
	}
	i := s.find(args[1])
	switch {
	case i == nil:
		return resp.List()
	case !i.isList:
		return resp.Err(wrongType)
	}
	n := len(i.list)
	if from < 0 {
		from = max(from+n, 0)
	}
	if to < 0 {
		to += n
	}
	out := resp.List()
	for at := from; at <= to && at < n; at++ {
		out.List = append(out.List, resp.String(i.list[at]))
	}
	return out
}
